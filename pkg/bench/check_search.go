package bench

import (
	"fmt"

	"warp/internal/option"
	"warp/pkg/load"
	"warp/pkg/search"
)

// checkSearch returns an error for each reason why a phase cannot be a search.
func checkSearch(ph *Phase, i int) (errs []error) {
	if ph.Search == nil {
		return nil
	}
	if len(ph.Parallel) > 0 || len(ph.Steps) > 0 {
		return []error{fmt.Errorf("phase %d: other streams or steps (want one stream in a search)", i+1)}
	}
	for _, f := range []struct {
		flag string
		set  bool
	}{
		{"duration", ph.Duration > 0},
		{"ops", ph.Ops > 0},
		{"bytes", ph.Bytes > 0},
		{"passes", ph.Passes > 0},
		{"warmup", ph.Warmup > 0},
		{"autoterm", ph.Autoterm != nil},
		{"rate", ph.open()},
		{"max-late", ph.MaxLate > 0},
		{"think", !ph.Think.IsZero()},
		{"concurrent", !ph.Threads.IsZero()},
	} {
		if f.set {
			errs = append(errs, option.Errorf(f.flag, "not in a search, which decides about load and length of its trials"))
		}
	}
	if a := ph.Search.Arrivals; a != load.Even && a != load.Poisson {
		errs = append(errs, option.Invalid("arrivals", string(a), option.List(load.Spacings...)))
	}
	config := ph.Search.Config
	config.MaxInflight = ph.Concurrency
	return append(errs, config.Validate(), search.CheckTrials(ph.Search.Done))
}
