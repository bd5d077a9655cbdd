package bench

import (
	"slices"

	"warp/internal/option"
	"warp/pkg/op"
)

// maxPasses is beyond any run.
const maxPasses = 1e9

// checkUntil returns an error for each invalid limit.
func (s *Stream) checkUntil() (errs []error) {
	if s.Bytes < 0 {
		errs = append(errs, option.Invalid("bytes", s.Bytes, "0 or more; 0 means no limit"))
	}
	if !(s.Passes >= 0 && s.Passes <= maxPasses) { // also rejects NaN
		errs = append(errs, option.Invalid("passes", s.Passes, "0 to 1e9; 0 means no limit"))
	}
	return errs
}

// checkUntil returns an error for each invalid or unreachable limit.
func (s *stream) checkUntil(c *Compiled) []error {
	errs := s.Stream.checkUntil()
	if len(s.tasks) == 0 {
		return errs // what they are is wrong
	}
	if s.Passes > 0 && (len(s.weights) > 1 || s.tasks[0].traits.Pass == nil) {
		errs = append(errs, option.Errorf("passes", "%s does not go through a data set; use --ops", title(s.Stream)))
	}
	if s.Passes > 0 && s.tasks[0].set.inventory && !hasPasses(c, s.tasks[0]) {
		const text = "streams change the data set of %s, so there is no pass through it; use --ops"
		errs = append(errs, option.Errorf("passes", text, title(s.Stream)))
	}
	moves := func(t *task) bool { return slices.ContainsFunc(t.traits.Kinds, op.Kind.MovesBytes) }
	if s.Bytes > 0 && !slices.ContainsFunc(s.tasks, moves) {
		errs = append(errs, option.Errorf("bytes", "%s transfers no contents of objects; use --ops", title(s.Stream)))
	}
	return errs
}
