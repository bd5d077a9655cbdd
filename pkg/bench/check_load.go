package bench

import (
	"fmt"
	"strings"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
)

// checkLoad returns an error for each part of the load that is invalid or makes no sense.
func (s *Stream) checkLoad() (errs []error) {
	if s.Rate < 0 {
		errs = append(errs, option.Invalid("rps-limit", s.Rate, "0 or more; 0 means no limit"))
	} else if s.Rate > 0 {
		if _, err := load.Rate(s.Rate); err != nil {
			errs = append(errs, option.Wrap("rps-limit", err))
		}
	}
	if !s.Schedule.IsZero() {
		if s.Rate > 0 {
			errs = append(errs, option.Errorf("rate, rps-limit", "one rate is for all clients together, the other for each; leave out one of them"))
		}
		if _, err := s.Schedule.Schedule(load.Even, 0); err != nil {
			errs = append(errs, option.Wrap("rate", err))
		}
	}
	errs = append(errs, s.checkThreads()...)
	switch {
	case s.Arrivals != load.Even && s.Arrivals != load.Poisson:
		errs = append(errs, option.Invalid("arrivals", string(s.Arrivals), option.List(load.Spacings...)))
	case s.Arrivals != load.Even && !s.open():
		errs = append(errs, option.Errorf("arrivals", "want --rate; threads of a closed loop do not wait for arrivals"))
	case s.Arrivals != load.Even && s.Schedule.Bursts():
		errs = append(errs, option.Errorf("arrivals", "bursts have no random arrivals"))
	}
	if !s.Think.IsZero() && s.open() {
		errs = append(errs, option.Errorf("think", "not with --rate or --rps-limit; operations of an open loop are due at given times"))
	} else if _, err := load.ParseThink(s.Think.String()); err != nil && !s.Think.IsZero() {
		errs = append(errs, option.Wrap("think", err))
	}
	switch {
	case s.Warmup < 0:
		errs = append(errs, option.Invalid("warmup", s.Warmup, "0 or more"))
	case s.Warmup > work.MaxDuration:
		errs = append(errs, option.Invalid("warmup", s.Warmup, "at most ten years"))
	}
	switch {
	case s.MaxLate < 0:
		errs = append(errs, option.Invalid("max-late", s.MaxLate, "0 or more; 0 means no limit"))
	case s.MaxLate > 0 && !s.open():
		errs = append(errs, option.Errorf("max-late", "want --rate; in a closed loop no operation is late"))
	}
	return errs
}

// checkThreads returns an error for each part of the number of threads over time that makes no sense.
func (s *Stream) checkThreads() (errs []error) {
	switch {
	case s.Threads.IsZero():
	case s.open():
		const text = "want a number of threads with --rate or --rps-limit, which say how much load there is over time"
		errs = append(errs, option.Errorf("concurrent", text))
	case s.Threads.Bursts():
		errs = append(errs, option.Errorf("concurrent", "threads do not come in bursts (want stages, as in repeat(20/1s,0/4s))"))
	case s.Threads.Threads() != s.Concurrency:
		want := fmt.Sprintf("%d threads, the most of %s", s.Threads.Threads(), s.Threads)
		errs = append(errs, option.Invalid("concurrent", s.Concurrency, want))
	}
	return errs
}

// limits returns an error for each limit that the stream exceeds, whatever its workload.
func (s *Stream) limits() (errs []error) {
	if strings.EqualFold(s.Name, op.PhaseWarmup) {
		errs = append(errs, fmt.Errorf("stream %q: operations before measurement have this name", s.Name))
	}
	switch {
	case s.Concurrency < 1:
		errs = append(errs, option.Invalid("concurrent", s.Concurrency, "at least 1"))
	case s.Concurrency > MaxThreads:
		errs = append(errs, option.Invalid("concurrent", s.Concurrency, fmt.Sprintf("at most %d; more threads need more clients", MaxThreads)))
	}
	switch {
	case s.Duration < 0:
		errs = append(errs, option.Invalid("duration", s.Duration, "0 or more; 0 means no limit"))
	case s.Duration > work.MaxDuration:
		errs = append(errs, option.Invalid("duration", s.Duration, "at most ten years; 0 means no limit"))
	}
	errs = append(errs, s.checkLoad()...)
	if a := s.Autoterm; a != nil && (a.Percent <= 0 || a.MinDuration <= 0) {
		errs = append(errs, option.Errorf("autoterm.pct, autoterm.dur", "want more than 0"))
	} else if a != nil && a.Slope < 0 {
		errs = append(errs, option.Invalid("autoterm.slope", a.Slope, "0 or more; 0 means no limit"))
	}
	return errs
}
