package bench

import (
	"fmt"
	"maps"
	"slices"

	"warp/internal/option"
	"warp/pkg/generator"
	"warp/pkg/s3"
)

// Limits of a plan. Plans may come over the network, and must not take all time or memory of a client before
// the run has begun. The limits lie far beyond what any run needs.
const (
	MaxPhases  = 100
	maxTasks   = 100 // of one stream
	maxClients = 1 << 20
	maxAll     = 1 << 28 // threads of all clients together, whose prefixes may have to be known
)

// limits returns an error for each limit that the plan exceeds, apart from its streams' limits.
func (p *Plan) limits() (errs []error) {
	errs = checkSpec(&p.Data)
	for _, name := range slices.Sorted(maps.Keys(p.Sets)) {
		spec := p.Sets[name]
		for _, err := range checkSpec(&spec) {
			errs = append(errs, fmt.Errorf("data set %q: %w", name, err))
		}
	}
	if p.Room < 0 {
		errs = append(errs, fmt.Errorf("room: invalid value %d (want 0 or more)", p.Room))
	}
	if err := p.Target.Check(); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// checkSpec returns an error for each invalid property of a data set.
func checkSpec(s *generator.Spec) (errs []error) {
	if err := s.Validate(); err != nil {
		errs = append(errs, err)
	}
	if s.Buckets < 0 || s.Buckets > s3.MaxBuckets {
		errs = append(errs, option.Invalid("buckets", s.Buckets, fmt.Sprintf("1 to %d", s3.MaxBuckets)))
	}
	return errs
}

// checkOK returns an error for each status that cannot be an outcome.
func checkOK(statuses []int) (errs []error) {
	for _, status := range statuses {
		if status < 300 || status > 599 {
			errs = append(errs, option.Invalid("ok", status, "HTTP statuses from 300 to 599"))
		}
	}
	return errs
}
