package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/pkg/units"
)

// plainEvery is how often a line is printed on a pipe.
const plainEvery = 5 * time.Second

// plain prints whole lines: one when a stage starts, one every few seconds, one when it is over.
type plain struct {
	mu   sync.Mutex
	w    io.Writer
	now  Current
	next time.Duration // elapsed time at which the next line is due
}

func (p *plain) Stage(s Stage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	listed := slices.Equal(p.now.Phases, s.Phases) // a search has a stage for each trial
	p.now = Current{Stage: s, active: true}
	p.next = plainEvery
	if len(s.Phases) > 0 && s.Phase == 0 && !listed {
		fmt.Fprintln(p.w, "Phases: "+units.Line(strings.Join(s.Phases, ", ")))
	}
	line := p.now.Title() + ": "
	if s.Start.IsZero() {
		line += "started"
	} else {
		line += "starts at " + s.Start.Format("15:04:05")
	}
	if len(s.Phases) > 0 {
		line += fmt.Sprintf(", phase %d of %d", s.Phase+1, len(s.Phases))
	}
	if s.Total > 0 {
		line += ", " + units.Plural(s.Total, s.noun())
	}
	if s.Warmup > 0 {
		line += ", " + units.Span(s.Warmup) + " of warm-up"
	}
	if s.Duration > 0 {
		line += ", " + units.Span(s.Duration)
	}
	fmt.Fprintln(p.w, line)
}

func (p *plain) Update(u Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.now.active {
		return
	}
	p.now.Last = u
	if u.Elapsed < p.next {
		return
	}
	p.next = u.Elapsed - u.Elapsed%plainEvery + plainEvery
	fmt.Fprintln(p.w, p.now.Title()+": "+strings.Join(p.fields(), ", "))
}

// fields is where the stage stands.
func (p *plain) fields() (fields []string) {
	u := &p.now.Last
	if f, known := p.now.Fraction(); known {
		fields = append(fields, percent(f))
	} else {
		fields = append(fields, p.now.Amount())
	}
	if threads := u.threads(); threads != "" {
		fields = append(fields, threads)
	}
	if u.BytesPerSec > 0 {
		fields = append(fields, units.MiBs(u.BytesPerSec, 2)+" MiB/s")
	}
	if u.ObjPerSec > 0 {
		fields = append(fields, units.PerSecond(u.ObjPerSec)+" obj/s")
	}
	if u.P50 > 0 {
		fields = append(fields, "p50 "+units.Duration(u.P50))
	}
	if u.P99 > 0 {
		fields = append(fields, "p99 "+units.Duration(u.P99))
	}
	fields = append(fields, units.Plural(u.Errors, "error"))
	if u.Resent > 0 {
		fields = append(fields, fmt.Sprintf("%d resent", u.Resent))
	}
	if left := p.now.Remaining(); left != "" {
		fields = append(fields, left)
	}
	return fields
}

func (p *plain) Message(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.w, message(text))
}

func (p *plain) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *plain) end() {
	if p.now.active {
		fmt.Fprintln(p.w, p.now.Summary())
	}
	p.now.active = false
}

// percent prints a fraction in whole percent, 100% only for all of it.
func percent(f float64) string {
	return fmt.Sprintf("%d%%", int(f*100))
}
