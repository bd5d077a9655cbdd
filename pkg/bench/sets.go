package bench

import (
	"slices"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
)

// makeSets makes the data sets, without their objects.
func (r *Run) makeSets() error {
	for _, p := range r.plan.sets {
		layout, err := dataset.NewLayout(p.spec, r.plan.keys(p, r.share.Index), r.plan.seedOf(p, r.share.Index), p.seed, p.names)
		if err != nil {
			return err
		}
		o := dataset.Options{
			Part:      dataset.SoleClient,
			Capacity:  &r.capacity,
			ETags:     slices.ContainsFunc(r.plan.tasks, func(t *task) bool { return t.set == p && t.traits.If.NeedsETags() }),
			Versions:  p.names > 0,
			Rewritten: p.rewrite,
			Inventory: p.inventory,
			Taken:     p.taken,
			Objects:   p.objects,
		}
		if r.plan.SharedData {
			o.Part = r.share
		}
		set := dataset.New(layout, o)
		set.Access = dataset.NewAccess(p.objects, p.names, p.seed)
		r.sets = append(r.sets, set)
	}
	for _, s := range r.plan.tasks {
		order := r.share.Index
		if global(r.plan, s.of) {
			order = 0
		}
		access := dataset.NewAccess(s.traits.Uploads(), s.traits.Names(), generator.Mix(s.seed, order))
		view := r.sets[slices.Index(r.plan.sets, s.set)].View(access)
		r.setAccess(s, view, s.traits.Access)
		r.views = append(r.views, view)
	}
	return nil
}

// setAccess sets the pattern of access of a stream.
func (r *Run) setAccess(s *task, set *dataset.DataSet, access generator.Access) {
	switch same := r.plan.SharedData || s.traits.ReadsOnly(); {
	case global(r.plan, s.of): // turns are numbered over all clients
		set.SetPattern(access, s.seed, dataset.SoleClient)
	case same:
		part, _ := partOf(s.Stream, r.share)
		set.SetPattern(access, s.seed, part)
	default:
		set.SetPatternAlone(access)
	}
}

// access sets a task's order of access to a changing data set, from its objects at the beginning of a phase.
func (r *Run) access(t *task, view *dataset.DataSet) {
	pattern := t.traits.Access
	view.Restart(pattern.First, pattern.Last, !r.plan.changesIn(t.of.phase, t.set))
	r.setAccess(t, view, pattern.Within(view.Accessible()))
}
