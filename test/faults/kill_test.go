package faults

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/pkg/op"
)

// grace is how long a client goes on without its coordinator, and a coordinator waits for a client.
const grace = 30 * time.Second

// scene is a run by two clients; a participant is killed at a stage.
type scene struct {
	t           *testing.T
	store       *store
	token       string
	near, far   *client
	gate        *gate // in front of far
	dir         string
	coordinator *process
}

// Stages at which somebody is killed.
const (
	connecting = "connecting"
	preparing  = "preparing"
	waiting    = "waiting for the start"
	begun      = "begun" // measuring for a moment, and not yet anything on disk
	measuring  = "measuring"
	collecting = "collecting"
	cleaning   = "cleaning"
)

var stages = []string{connecting, preparing, waiting, measuring, collecting, cleaning}

// TestKill kills a client, or the coordinator, without any warning, at every stage of a run. Nothing but the grace of 30
// seconds says that somebody is gone for good, so all runs go on at the same time.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a grace of 30 seconds")
	}
	t.Parallel()
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, stage := range stages {
		for who, test := range map[string]func(*testing.T, string){"client": killClient, "coordinator": killCoordinator} {
			// They wait most of the time, so more of them than t.Parallel allows may go on.
			wg.Go(func() {
				t.Run(who+" "+stage, func(t *testing.T) { test(t, stage) })
			})
		}
	}
}

// open starts a run of a length and has it come to a stage.
func open(t *testing.T, stage, length string) *scene {
	s := &scene{t: t, store: startStore(t), token: tokenFile(t), dir: t.TempDir()}
	s.near = startClient(t, s.token, nil, "127.0.0.1:0")
	s.far = startClient(t, s.token, nil, "127.0.0.1:0")
	s.gate = startGate(t, s.far.addr)
	if stage != connecting {
		close(s.gate.open)
	}
	switch stage {
	case preparing:
		s.store.holdUp(op.Put)
	case cleaning:
		s.store.holdUpCleaning()
	}
	s.coordinator = s.run("all", s.near.addr+","+s.gate.addr, "get", "--objects=50", "--duration="+length)
	s.reach(stage)
	return s
}

// run starts a benchmark on clients.
func (s *scene) run(name, clients string, args ...string) *process {
	return start(s.t, "coordinator", s.dir, []string{"WARP_HOST=" + s.store.Host(), "WARP_ACCESS_KEY=access", "WARP_SECRET_KEY=secret"}, nil,
		append(args, "--warp-client="+clients, "--token-file="+s.token, "--bucket="+bucket, "--obj.size=1KiB", "--concurrent=2", "--benchdata="+name)...)
}

// reach waits until the run has come to a stage.
func (s *scene) reach(stage string) {
	switch stage {
	case connecting:
		<-s.gate.came
	case preparing, cleaning:
		s.store.holdsUp()
	case waiting:
		s.coordinator.says("^Benchmarking get: starts at")
	case begun:
		until(s.t, "there are operations", func() bool { return s.store.Requests(op.Get) > 100 })
	case measuring:
		until(s.t, "there are operations", func() bool { return s.store.Requests(op.Get) > 450 })
	case collecting:
		s.coordinator.says("^Benchmarking get: starts at")
		// The coordinator makes the file for a recording before it asks for it.
		asked := func() bool {
			files, _ := filepath.Glob(filepath.Join(s.dir, "warp-recordings-*", "000001.csv.zst"))
			return len(files) > 0
		}
		s.gate.mute.Store(&asked)
		until(s.t, "a recording is to be handed over", asked)
	}
}

// killClient has the run go on without one of its clients from where it can, and say what that means.
func killClient(t *testing.T, stage string) {
	length := "2s"
	if stage == measuring {
		length = "20s" // it must last until there are enough operations, and need not longer than the grace
	}
	s := open(t, stage, length)
	s.far.kill()
	s.store.release()
	if stage == connecting {
		close(s.gate.open)
		s.coordinator.ends(1)
		s.expect("1 of 2 clients cannot take part", s.gate.addr+": connection closed")
		if n := s.store.Requests(op.Put); n > 0 {
			t.Errorf("there were %d uploads", n)
		}
		s.again(s.near.addr, nil)
		return
	}
	s.expectEnd(stage)
	if reason := s.near.over(); (reason != "") != (stage == preparing) {
		t.Errorf("the client that lives is told: %s", reason)
	}
	s.recorded(stage)
	left := s.store.keys()
	if len(left) == 0 && stage != collecting && stage != cleaning {
		t.Error("the client that was killed left nothing, so the test tests nothing")
	}
	told := s.coordinator.err.String() + s.coordinator.out.String()
	for _, key := range left {
		if !below(key, told) {
			t.Errorf("nobody was told that %s is left", key)
			break
		}
	}
	s.again(s.near.addr, left)
}

// expectEnd waits for the end of a run after a client was killed.
func (s *scene) expectEnd(stage string) {
	switch stage {
	case preparing:
		s.coordinator.ends(1)
		s.expect("client " + s.gate.addr + ": no reconnect within 30s")
	case waiting:
		s.coordinator.ends(5)
		s.expect("^Clients: 1 of 2, ", "the result covers 1 of 2 clients", "the connection was lost from second 0 on")
	case measuring:
		s.coordinator.ends(5)
		s.expect("^Clients: 1 of 2, ", "the result covers 1 of 2 clients", `the connection was lost from second \d+ on`)
	default:
		s.coordinator.ends(5)
		s.expect("^Clients: 2 of 2, ", "client "+s.gate.addr+" was lost after the handover of its results", "1 of 2 clients (did not hand over|were lost after)")
	}
}

// recorded checks the recordings of a run whose client was killed.
func (s *scene) recorded(stage string) {
	near, far, all := recordings(s.t, s.near.dir, false), recordings(s.t, s.far.dir, true), recordings(s.t, s.dir, false)
	switch {
	case stage == preparing && (len(near) == 0 || len(all) > 0): // the other one may not have lived for the second that a recording needs
		s.t.Errorf("%d uploads in the recording of the client that lives, %d in that of all", len(near), len(all))
	case stage == preparing, stage == waiting && count(far) > 0:
	case stage == cleaning && count(all) != count(near)+count(far):
		s.t.Errorf("%d operations in the recording of all, %d and %d in the clients' own", count(all), count(near), count(far))
	case stage != cleaning && count(all) != count(near):
		s.t.Errorf("%d operations in the recording of all, %d in that of the client that lives", count(all), count(near))
	case stage != waiting && count(far) == 0, count(near) == 0:
		s.t.Errorf("clients recorded %d and %d operations", count(near), count(far))
	}
}

// killCoordinator has the clients stop after their grace, clean up, keep their recordings, and be ready for the next run.
func killCoordinator(t *testing.T, stage string) {
	length := "1h"
	if stage == collecting || stage == cleaning {
		length = "2s"
	}
	s := open(t, stage, length)
	s.coordinator.kill()
	killed := time.Now()
	s.store.release()
	if stage == connecting {
		close(s.gate.open)
	} else {
		for _, c := range []*client{s.near, s.far} {
			if reason := c.over(); !strings.Contains(reason, "the coordinator is lost") {
				t.Errorf("the client says %q", reason)
			}
			if took := time.Since(killed); took < grace-time.Second {
				t.Errorf("it gave up after %v", took)
			}
			ops := recordings(t, c.dir, false)
			if len(ops) == 0 || count(ops) == 0 && stage != preparing && stage != waiting {
				t.Errorf("a client recorded %d operations, %d in the benchmark", len(ops), count(ops))
			}
		}
	}
	if left := s.store.keys(); len(left) > 0 {
		t.Errorf("%d objects are left, such as %s", len(left), left[0])
	}
	s.again(s.near.addr+","+s.far.addr, nil)
}

// expect looks for patterns in what the coordinator said.
func (s *scene) expect(patterns ...string) {
	s.t.Helper()
	for _, pattern := range patterns {
		if !regexp.MustCompile("(?m)" + pattern).MatchString(s.coordinator.out.String() + s.coordinator.err.String()) {
			s.t.Errorf("the coordinator does not say %s", pattern)
		}
	}
}

// again makes another run on clients that must be free, which leaves no more objects than there were.
func (s *scene) again(clients string, left []string) {
	s.t.Helper()
	s.run("again", clients, "put", "--duration=300ms").ends(0)
	if now := s.store.keys(); len(now) != len(left) {
		s.t.Errorf("%d objects are left after the next run, %d before", len(now), len(left))
	}
}
