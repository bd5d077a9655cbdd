//go:build !linux

package responder

import "time"

func preciseSleep(d time.Duration) { time.Sleep(d) }
