package coordinator

import (
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/distributed/protocol"
)

// onNotices calls a function with each notice.
type onNotices struct {
	noObserver
	do func(text string)
}

func (o onNotices) Notice(text string) { o.do(text) }

// TestAwait: the run waits for a client that comes up later, says so once, and waits no longer than it may.
func TestAwait(t *testing.T) {
	r, err := responder.New(responder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	for _, wait := range []time.Duration{time.Hour, time.Millisecond} {
		if err := r.SetOutage(responder.Refusing); err != nil {
			t.Fatal(err)
		}
		notices := 0
		observer := onNotices{do: func(text string) {
			if notices++; !strings.HasPrefix(text, "Waiting up to "+wait.String()+" for clients: ") {
				t.Errorf("notice: %s", text)
			}
			if wait > time.Second {
				if err := r.SetOutage(responder.Up); err != nil {
					t.Error(err)
				}
			}
		}}
		o := Options{Wait: wait, Timing: protocol.DefaultTiming}
		members := []*member{{link: &link{addr: r.Host()}}, {link: &link{addr: r.Host()}}}
		await(t.Context(), members, &o, newNotifier(observer))
		if notices != 1 {
			t.Errorf("%d notices", notices)
		}
	}
}
