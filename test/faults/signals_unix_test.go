//go:build unix

package faults

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"warp/internal/responder"
	"warp/pkg/op"
)

// ending signals ask a run to end in good order.
var ending = map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}

// looking is the stage when a local run examines the bucket.
const looking = "looking"

// local is a run without clients.
type local struct {
	*process
	t     *testing.T
	store *store
	dir   string
}

// runLocal starts a benchmark of a length and has it come to a stage.
func runLocal(t *testing.T, stage, length string, args ...string) *local {
	t.Helper()
	l := &local{t: t, store: startStore(t), dir: t.TempDir()}
	switch stage {
	case looking:
		l.store.holdUp(responder.Bucket)
	case preparing:
		l.store.holdUp(op.Put)
	case cleaning:
		l.store.holdUpCleaning()
	}
	l.process = start(t, "warp", l.dir, l.environment(), nil, append(l.args(length), args...)...)
	if stage == measuring {
		until(t, "there are operations", func() bool { return l.store.Requests(op.Get) > 100 })
	} else {
		l.store.holdsUp()
	}
	return l
}

func (l *local) environment() []string {
	return []string{"WARP_HOST=" + l.store.Host(), "WARP_ACCESS_KEY=access", "WARP_SECRET_KEY=secret"}
}

func (l *local) args(length string) []string {
	return []string{"get", "--objects=50", "--obj.size=1KiB", "--concurrent=2", "--bucket=" + bucket, "--benchdata=run", "--duration=" + length}
}

// clean expects that nothing is left in the bucket.
func (l *local) clean() {
	l.t.Helper()
	if left := l.store.keys(); len(left) > 0 {
		l.t.Errorf("%d objects are left, such as %s", len(left), left[0])
	}
}

// send sends a signal.
func (p *process) send(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// reported expects the report of a benchmark, or none.
func (p *process) reported(want bool) {
	p.t.Helper()
	if got := strings.Contains(p.out.String(), "Operation: GET"); got != want {
		p.t.Errorf("%s printed a report: %v", p.name, got)
	}
}

// length is how long a run is to measure that is stopped in a stage.
func length(stage string) string {
	if stage == cleaning {
		return "2s"
	}
	return "1h"
}

// TestSignals has each signal end a run in each stage: it reports what it measured, cleans up and leaves a recording.
func TestSignals(t *testing.T) {
	t.Parallel()
	for name, signal := range ending {
		for _, stage := range []string{looking, preparing, measuring, cleaning} {
			t.Run(name+" "+stage, func(t *testing.T) {
				t.Parallel()
				l := runLocal(t, stage, length(stage))
				l.send(signal)
				l.says("^Interrupted: ")
				l.store.release()
				l.ends(130)
				l.clean()
				if stage == looking || stage == preparing {
					l.says("^warp: interrupted before the benchmark began$")
				}
				measured := stage == measuring || stage == cleaning
				l.reported(measured)
				ops := recordings(t, l.dir, false)
				if (count(ops) > 0) != measured || (len(ops) > 0) != (stage != looking) {
					t.Errorf("%d operations are recorded, %d of them measured", len(ops), count(ops))
				}
			})
		}
	}
}

// TestSecondSignal: a second INT or TERM leaves at once, even while it cleans up, and objects stay. Another HUP changes nothing.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	for name, second := range ending {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := runLocal(t, cleaning, length(cleaning))
			l.send(syscall.SIGTERM)
			l.says("^Interrupted: ")
			l.send(second)
			if second == syscall.SIGHUP {
				l.store.release()
			}
			l.ends(130)
			l.reported(true)
			if ops := recordings(t, l.dir, false); count(ops) == 0 {
				t.Error("nothing is recorded")
			}
			if second == syscall.SIGHUP {
				l.clean()
			} else if len(l.store.keys()) == 0 {
				t.Error("it cleaned up nevertheless")
			}
		})
	}
}

// TestIgnoredHangUp: under nohup a lost terminal does not matter.
func TestIgnoredHangUp(t *testing.T) {
	t.Parallel()
	l := &local{t: t, store: startStore(t), dir: t.TempDir()}
	l.process = start(t, "warp", l.dir, l.environment(), []string{"nohup"}, l.args("1h")...)
	until(t, "there are operations", func() bool { return l.store.Requests(op.Get) > 100 })
	l.send(syscall.SIGHUP)
	l.store.goesOn(op.Get, 100)
	l.send(syscall.SIGTERM)
	l.ends(130)
	l.clean()
	if strings.Count(l.err.String(), "Interrupted: ") != 1 {
		t.Error("it was interrupted more than once, or not at all")
	}
}

// TestSignalsEmbedded has each signal end a run of the embedded server, which must outlive it to be cleaned up.
func TestSignalsEmbedded(t *testing.T) {
	t.Parallel()
	for name, signal := range ending {
		for _, stage := range []string{preparing, measuring} {
			t.Run(name+" "+stage, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				p, server := runEmbedded(t, dir, map[string]string{preparing: "1000000", measuring: "50"}[stage])
				if stage == preparing {
					p.says("^Preparing: started")
				} else {
					recorded(t, dir)
				}
				p.send(signal)
				p.says("^Interrupted: ")
				p.ends(130)
				p.reported(stage == measuring)
				if !gone(server) {
					t.Errorf("the server's directory %s is left", server)
				}
				if ops := recordings(t, dir, false); stage == measuring && count(ops) == 0 {
					t.Error("nothing is recorded")
				}
			})
		}
	}
}

// runEmbedded starts a benchmark of the embedded server, and gives the server's directory.
func runEmbedded(t *testing.T, dir, objects string) (p *process, server string) {
	t.Helper()
	p = start(t, "warp", dir, nil, nil, "get", "--objects="+objects, "--obj.size=1KiB", "--concurrent=2", "--duration=1h", "--benchdata=run")
	return p, p.says(`keeps its objects .*\((\S+warp-server-[A-Z0-9]+)`)
}

// TestSignalsServe has each signal end a server that runs alone, which is its proper end.
func TestSignalsServe(t *testing.T) {
	t.Parallel()
	for name, signal := range ending {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, "server", t.TempDir(), nil, nil, "serve", "127.0.0.1:0")
			re := regexp.MustCompile(`\((\S+warp-server-[A-Z0-9]+)[\s\S]*Interrupt`)
			until(t, "it serves", func() bool { return re.MatchString(p.out.String()) })
			p.send(signal)
			p.ends(0)
			if dir := re.FindStringSubmatch(p.out.String())[1]; !gone(dir) {
				t.Errorf("the server's directory %s is left", dir)
			}
		})
	}
}

// gone reports whether there is nothing at path.
func gone(path string) bool {
	_, err := os.Lstat(path)
	return os.IsNotExist(err)
}

// recorded waits until there are operations of the benchmark in the recording.
func recorded(t *testing.T, dir string) {
	t.Helper()
	until(t, "operations are recorded", func() bool {
		info, err := os.Stat(filepath.Join(dir, "run.csv.zst"))
		return err == nil && info.Size() > 8<<10 // more than its head and the preparation
	})
}

// TestSignalsCoordinator has each signal end a run by two clients, in each stage.
func TestSignalsCoordinator(t *testing.T) {
	t.Parallel()
	for name, signal := range ending {
		for _, stage := range []string{connecting, preparing, measuring, cleaning} {
			t.Run(name+" "+stage, func(t *testing.T) {
				t.Parallel()
				s := open(t, stage, length(stage))
				s.coordinator.send(signal)
				s.coordinator.says("^Interrupted: ")
				s.store.release()
				s.coordinator.ends(130)
				measured := stage == measuring || stage == cleaning
				s.coordinator.reported(measured)
				if left := s.store.keys(); len(left) > 0 {
					t.Errorf("%d objects are left, such as %s", len(left), left[0])
				}
				if ops := recordings(t, s.dir, false); (count(ops) > 0) != measured {
					t.Errorf("%d operations are recorded", count(ops))
				}
			})
		}
	}
}
