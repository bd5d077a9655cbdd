package coordinator

import (
	"context"
	"net"
	"sync"
	"time"

	"warp/internal/clock"
)

// Pauses between tries to reach a client that is not up yet.
const (
	firstWait = 100 * time.Millisecond
	maxWait   = 2 * time.Second
)

// await waits until something listens at each client's address, or Options.Wait is over. The connections are closed at once: a client
// that is up would not wait for the others with one. Clients that are not up fail afterwards, with their reasons.
func await(ctx context.Context, members []*member, o *Options, n *notifier) {
	if o.Wait <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	var once sync.Once
	each(members, func(m *member) {
		for pause := firstWait; ; pause = min(2*pause, maxWait) {
			conn, err := (&net.Dialer{Timeout: o.Timing.Handshake}).DialContext(ctx, "tcp", m.addr)
			if err == nil {
				_ = conn.Close() // nothing was sent
				return
			}
			once.Do(func() {
				n.notice("Waiting up to %v for clients: %v", o.Wait, err)
				n.notify()
			})
			if !clock.Pause(ctx, pause) {
				return
			}
		}
	})
}
