//go:build !linux

package responder

import "time"

func nap(d time.Duration) { time.Sleep(d) }
