//go:build unix

package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
)

// TestOutage takes the server of each benchmark down for five seconds. The run goes on afterwards, its threads have not tried
// all the time meanwhile, and it reports, keeps its pool and cleans up as any other.
func TestOutage(t *testing.T) {
	t.Parallel()
	for how, outage := range map[string]responder.Outage{"refused": responder.Refusing, "hung up": responder.HangingUp} {
		for command, c := range map[string]struct {
			kind op.Kind
			args []string
		}{
			"get":    {op.Get, nil},
			"put":    {op.Put, nil},
			"delete": {op.Delete, []string{"--objects=2000", "--batch=1"}},
			"list":   {op.List, nil},
			"stat":   {op.Stat, nil},
			"mixed":  {op.Get, []string{"--put-distrib=20", "--delete-distrib=20"}},
		} {
			t.Run(how+"/"+command, func(t *testing.T) {
				t.Parallel()
				testOutage(t, command, c.kind, outage, c.args)
			})
		}
	}
}

func testOutage(t *testing.T, command string, kind op.Kind, outage responder.Outage, args []string) {
	l := &local{t: t, store: startStore(t), dir: t.TempDir()}
	if command != "put" && command != "delete" {
		args = append([]string{"--objects=40"}, args...)
	}
	args = append([]string{command, "--obj.size=1KiB", "--concurrent=3", "--bucket=" + bucket, "--benchdata=run", "--duration=1h"}, args...)
	l.process = start(t, "warp", l.dir, l.environment(), nil, args...)
	until(t, "there are operations", func() bool { return l.store.Requests(kind) > firstPuts })
	from := time.Now()
	if err := l.store.SetOutage(outage); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Second)
	if err := l.store.SetOutage(responder.Up); err != nil {
		t.Fatal(err)
	}
	lasted := time.Since(from)
	l.store.goesOn(kind, firstPuts)
	l.send(syscall.SIGINT)
	l.ends(130)
	attempts := map[uint32]int{}
	for _, o := range recordings(t, l.dir, false) {
		if o.Status == 404 {
			t.Errorf("%s %s: %s", o.Kind, o.Key, o.Err)
		}
		if o.Status == 0 {
			attempts[o.Thread]++
		}
	}
	most := 12 + int(lasted/(100*time.Millisecond)) // at most 100 ms between two
	for thread, n := range attempts {
		if n > most {
			t.Errorf("thread %d tried %d times in %v, want at most %d", thread, n, lasted, most)
		}
	}
	if n := l.store.HungUp(); n > uint64(3*most) {
		t.Errorf("the server hung up on %d connections", n)
	}
	report := l.out.String()
	if len(attempts) != 3 || !strings.Contains(report, "Warning: no server responded for a while") || strings.Contains(report, "use more --objects") {
		t.Errorf("attempts by thread %v", attempts)
	}
	l.clean()
}
