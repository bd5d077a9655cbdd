package terminal

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"go.uber.org/goleak"

	"warp/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const mib = 1 << 20

func kinds() []Kind {
	return []Kind{
		{Name: "GET", BytesPerSec: 632 * mib, ObjPerSec: 354.78, P50: 8 * time.Millisecond, P99: 40 * time.Millisecond},
		{Name: "STAT", ObjPerSec: 236.38, P50: 850 * time.Microsecond, P99: 4 * time.Millisecond},
		{Name: "PUT", BytesPerSec: 206 * mib, ObjPerSec: 118.23, P50: 22 * time.Millisecond, P99: 2 * time.Second, Errors: 3},
		{Name: "DELETE", ObjPerSec: 78.91, P50: 2 * time.Millisecond},
	}
}

// step is one call, and what it is called in a golden file.
type step struct {
	name string
	do   func(p Progress)
}

func stage(s Stage) step {
	return step{"stage " + s.Name, func(p Progress) { p.Stage(s) }}
}

func at(u Update) step {
	return step{fmt.Sprintf("update at %v", u.Elapsed), func(p Progress) { p.Update(u) }}
}

func say(text string) step {
	return step{"message", func(p Progress) { p.Message(text) }}
}

// sequenceOfCalls is a run with all that can happen in it.
func sequenceOfCalls() []step {
	u := Update{BytesPerSec: 1016.8 * mib, ObjPerSec: 4491.7, P50: 8220 * time.Microsecond, P99: 40 * time.Millisecond}
	running := func(elapsed time.Duration, ops, errors int64) Update {
		u := u
		u.Elapsed, u.Ops, u.Done, u.Errors = elapsed, ops, ops, errors
		return u
	}
	mixed := running(6*time.Second, 788, 3)
	mixed.Kinds, mixed.Threads = kinds(), 12
	both := running(30*time.Second, 900, 0)
	return []step{
		say("no stage yet\n"),
		stage(Stage{Name: "Preparing", Total: 2500}),
		at(Update{}),
		at(running(time.Second, 500, 0)),
		say("Warning: two\nlines"),
		at(running(6*time.Second, 2499, 1)),
		at(running(6500*time.Millisecond, 2500, 1)),
		stage(Stage{Name: "Benchmark: GET", Duration: time.Minute, Start: time.Date(2026, 11, 21, 15, 4, 5, 0, time.UTC)}),
		at(Update{Elapsed: -2500 * time.Millisecond}),
		at(running(25*time.Second, 109327, 0)),
		at(running(25300*time.Millisecond, 109400, 0)),
		at(running(61*time.Second, 261320, 12)),
		stage(Stage{Name: "Benchmark: mixed", Duration: 10 * time.Second}),
		at(mixed),
		at(running(7*time.Second, 900, 3)),
		stage(Stage{Name: "Deleting", Total: 1000, Duration: 5 * time.Minute}),
		at(both),
		stage(Stage{Name: "Cleaning up after a benchmark with a name that is far too long"}),
		at(Update{Elapsed: 7300 * time.Millisecond, Done: 1}),
		stage(Stage{Name: "Nothing\x1b[2Jto do"}),
		{"close", func(p Progress) { p.Close() }},
		{"close", func(p Progress) { p.Close() }},
		at(running(time.Second, 1, 1)),
		say("after the end"),
	}
}

func TestTerminal(t *testing.T) {
	for _, width := range []int{120, 80, 40} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			s := newScreen(t, width)
			p := New(s, Options{Terminal: true, Width: func() int { return width }})
			var out strings.Builder
			for _, c := range sequenceOfCalls() {
				c.do(p)
				fmt.Fprintf(&out, "# %s\n%s\n", c.name, s)
			}
			testkit.Golden(t, fmt.Sprintf("testdata/terminal-%d.txt", width), out.String())
			if !s.cursor {
				t.Error("the cursor is still hidden")
			}
		})
	}
}

// Statistics arrive later than operations end: the line that stays has all of them.
func TestSummaryCountsAll(t *testing.T) {
	var out strings.Builder
	p := New(&out, Options{})
	p.Stage(Stage{Name: "Benchmarking get", Noun: "operation", Total: 80, Duration: time.Minute})
	p.Update(Update{Elapsed: time.Second, Ops: 27, Done: 80})
	p.Close()
	if want := "Benchmarking get: 80 operations in 1.00s\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("got %q, want %q at its end", out.String(), want)
	}
}

func TestTerminalASCII(t *testing.T) {
	s := newScreen(t, 60)
	p := New(s, Options{Terminal: true, ASCII: true, Width: func() int { return 60 }})
	p.Stage(Stage{Name: "Preparing", Total: 100})
	p.Update(Update{Done: 40, Elapsed: time.Second})
	for _, r := range s.String() {
		if r > unicode.MaxASCII {
			t.Fatalf("%q in %q", r, s)
		}
	}
	if !strings.Contains(s.String(), "===>--") {
		t.Errorf("no bar in %q", s)
	}
	p.Close()
}

// TestTerminalColor checks that colour changes nothing but colour, and holds what is written in a golden file.
func TestTerminalColor(t *testing.T) {
	t.Setenv("NO_COLOR", "1") // the caller has decided already
	plainly, colored := newScreen(t, 80), newScreen(t, 80)
	a := New(plainly, Options{Terminal: true, Width: func() int { return 80 }})
	b := New(colored, Options{Terminal: true, Color: true, Width: func() int { return 80 }})
	for _, c := range sequenceOfCalls() {
		c.do(a)
		c.do(b)
		if plainly.String() != colored.String() {
			t.Errorf("%s: with colour\n%s\nwithout\n%s", c.name, colored, plainly)
		}
	}
	var out strings.Builder
	for line := range strings.Lines(colored.raw.String()) {
		out.WriteString(strings.Trim(strconv.QuoteToGraphic(line), `"`) + "\n")
	}
	testkit.Golden(t, "testdata/terminal-color.txt", out.String())
}

func TestTerminalDrawsFrameInOneWrite(t *testing.T) {
	s := newScreen(t, 80)
	p := New(s, Options{Terminal: true, Width: func() int { return 80 }})
	p.Stage(Stage{Name: "Benchmark", Duration: time.Minute})
	before := s.writes
	p.Update(Update{Elapsed: time.Second, Kinds: kinds()})
	if n := s.writes - before; n != 1 {
		t.Errorf("%d writes", n)
	}
	p.Close()
}

func TestTerminalAnyWidth(t *testing.T) {
	for width := -1; width < 130; width++ {
		s := newScreen(t, max(width, minWidth))
		p := New(s, Options{Terminal: true, Color: true, Width: func() int { return width }})
		p.Stage(Stage{Name: "Предварительная 準備 of data", Duration: time.Minute})
		p.Update(Update{Elapsed: 20 * time.Second, ObjPerSec: 1e12, BytesPerSec: 1e18, P50: time.Hour, P99: time.Hour, Errors: 1e15, Kinds: kinds()})
		for line := range strings.Lines(s.String()) {
			if n := len([]rune(line)); n > max(width, minWidth) {
				t.Errorf("width %d: %d characters: %s", width, n, line)
			}
		}
		p.Close()
	}
}

func TestPlain(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, Options{})
	for _, c := range sequenceOfCalls() {
		c.do(p)
	}
	testkit.Golden(t, "testdata/plain.txt", out.String())
	for _, r := range out.String() {
		if unicode.IsControl(r) && r != '\n' {
			t.Errorf("control character %q", r)
		}
	}
}

func TestPlainIsRare(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, Options{})
	p.Stage(Stage{Name: "Benchmark", Duration: time.Minute})
	for e := time.Duration(0); e <= time.Minute; e += 250 * time.Millisecond {
		p.Update(Update{Elapsed: e})
	}
	p.Close()
	if n := strings.Count(out.String(), "\n"); n != 14 { // one at the start, one each 5 s, one at the end
		t.Errorf("%d lines:\n%s", n, out.String())
	}
}

// Phases are listed once, also when the first has several stages, as a search has.
func TestPlainListsPhasesOnce(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, Options{})
	phases := []string{"search", "verify"}
	for _, s := range []Stage{{Name: "Trial 1", Phases: phases}, {Name: "Trial 2", Phases: phases}, {Name: "Verify", Phases: phases, Phase: 1}} {
		p.Stage(s)
	}
	p.Close()
	if n := strings.Count(out.String(), "Phases: search, verify\n"); n != 1 {
		t.Errorf("phases are listed %d times:\n%s", n, out.String())
	}
}

func TestQuiet(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, Options{Terminal: true, Quiet: true})
	for _, c := range sequenceOfCalls() {
		c.do(p)
	}
	if want := "no stage yet\nWarning: two\nlines\nafter the end\n"; out.String() != want {
		t.Errorf("wrote %q, want the messages alone: %q", out.String(), want)
	}
}

func TestConcurrentUse(t *testing.T) {
	for _, o := range []Options{{}, {Terminal: true, Width: func() int { return 80 }}} {
		p := New(&bytes.Buffer{}, o)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, c := range sequenceOfCalls() {
					c.do(p)
				}
			})
		}
		wg.Wait()
	}
}

func BenchmarkUpdate(b *testing.B) {
	p := New(&bytes.Buffer{}, Options{Terminal: true, Color: true, Width: func() int { return 100 }})
	p.Stage(Stage{Name: "Benchmark", Duration: time.Minute})
	u := Update{Elapsed: 20 * time.Second, ObjPerSec: 4000, BytesPerSec: 1e9, Kinds: kinds()}
	b.ReportAllocs()
	for b.Loop() {
		p.Update(u)
	}
}

func TestPhases(t *testing.T) {
	c := Current{Stage: Stage{Phases: []string{"fill", "wait 1m0s", "read + write", "expire"}, Phase: 2}}
	for width, want := range map[int]string{
		80: "Phase 3 of 4: fill, wait 1m0s, [read + write], expire",
		52: "Phase 3 of 4: ..., wait 1m0s, [read + write], expire",
		45: "Phase 3 of 4: ..., [read + write], expire",
		30: "Phase 3 of 4: ..., [read + w..",
	} {
		if got := c.PhaseList(width); got != want {
			t.Errorf("in %d columns %q, want %q", width, got, want)
		}
	}
	if got := (&Current{}).PhaseList(80); got != "" {
		t.Errorf("%q without phases", got)
	}
}
