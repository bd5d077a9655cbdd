package bench

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/units"
)

// Compile decodes and checks a plan, and returns all its faults as one error. A valid plan can be set up at a bounded cost, wherever it
// came from, and runs as stated. Compile sets the number of connections in the target.
func Compile(p *Plan) (*Compiled, error) {
	c, err := p.decode() // which sets the number of buckets
	errs := append(p.limits(), err)
	p.SharedData = p.SharedData || len(c.tasks) == 1 && c.tasks[0].traits.OneSet
	chooseInterface(p, c.tasks)
	for i := range p.Phases {
		errs = append(errs, errorsInStream(p.Phases[i].Name, checkSearch(&p.Phases[i], i)...)...)
	}
	for _, s := range c.streams {
		errs = append(errs, errorsInStream(s.Name, s.Stream.limits()...)...)
		errs = append(errs, checkSame(s)...)
		errs = append(errs, errorsInStream(s.Name, s.checkUntil(c)...)...)
		errs = append(errs, errorsInStream(s.Name, checkClients(s, p)...)...)
		errs = append(errs, errorsInStream(s.Name, checkPortion(c, s))...)
		for _, t := range s.tasks {
			for _, err := range t.validate(p) {
				errs = append(errs, t.fault(err))
			}
		}
	}
	if errors.Join(errs...) == nil {
		errs = append(append(c.conflicts(), c.checkSteps()...), c.CheckStatistics(1))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	p.Target.Concurrency = c.Connections()
	return c, nil
}

func (s *task) validate(p *Plan) []error {
	limits := connect.Dialect(&p.Target).Limits()
	errs := append(checkOK(s.OK), s.checkSizes(p.Target.Uploads.PartSize, limits)...)
	errs = append(errs, s.Retry.Check(s.Workload, s.workload, &s.traits)...)
	if v, ok := s.workload.(work.Validator); ok {
		errs = append(errs, v.Validate(s.load(limits), s.set.spec)...)
	}
	if len(errs) > 0 {
		return errs
	}
	if err := s.traits.Validate(); err != nil {
		return []error{fmt.Errorf("%s: %w", s.Workload, err)}
	}
	if err := checkObjects(s); err != nil {
		errs = append(errs, err)
	}
	if _, variable, _ := strings.Cut(s.set.spec.Keys, "{"); strings.Contains(variable, "//") && !s.traits.Existing {
		const text = "a part between slashes is empty behind an element, which some servers drop (possible only with --list-existing)"
		errs = append(errs, option.Errorf("keys", text))
	}
	if err := checkDirectory(s, p); err != nil {
		errs = append(errs, err)
	}
	if err := checkStoreKind(s, p); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, s.checkAssumed()...)
	if s.set.spec.Buckets > 1 && s.traits.OneBucket {
		errs = append(errs, option.Errorf("buckets", "%s works on one bucket; leave it out", s.Workload))
	}
	if s.traits.Destroys() {
		errs = append(errs, s.checkDestructive(p))
	}
	if p.SharedData && s.traits.If.NeedsETags() && !s.traits.Existing {
		const text = "current: with --shared-data a client does not know the ETags of what others upload"
		errs = append(errs, option.Errorf("if-match, if-none-match", text))
	}
	if p.SharedData && s.traits.Names() > 0 {
		const text = "only the client that uploaded a version has its id; leave it out, so that each client works on versions of its own"
		errs = append(errs, option.Errorf("shared-data", text))
	}
	if names := p.Target.Uploads.PerObjectFlags(); s.traits.SignedAhead && len(names) > 0 {
		const text = "%s signs forms or URLs before the contents of uploads are known; leave it out"
		errs = append(errs, option.Errorf(strings.Join(names, ", "), text, s.Workload))
	}
	if p.SharedData && !s.traits.Shares && s.traits.Names() == 0 && s.companion == "" {
		const text = "each client of %s works on objects of its own, so there is nothing to share; leave it out"
		errs = append(errs, option.Errorf("shared-data", text, s.Workload))
	}
	return errs
}

// checkSizes returns an error for objects above the limits of the store. Objects larger than partSize, if that is not 0, are uploaded in
// parts.
func (s *task) checkSizes(partSize int64, l s3.Limits) []error {
	largest, inParts := s.set.spec.Sizes.Largest(), partSize > 0 && !s.traits.SignedAhead
	switch {
	case s.traits.PartSize == 0 && largest > l.Put && !inParts:
		return []error{option.Errorf("obj.size", "%d bytes is more than one PUT can hold (%s)", largest, units.ExactSize(l.Put))}
	case inParts && largest > partSize && s.traits.If.Any() && slices.Contains(s.traits.Kinds, op.Put):
		return []error{option.Errorf("part.put", "uploads in parts have no --if-match or --if-none-match; leave out one of them")}
	case s.traits.PartSize == 0 && inParts:
		return work.LargeParts(partSize).CheckSizes(l, s.set.spec.Sizes)
	case largest > l.Object:
		return []error{option.Errorf("obj.size", "%d bytes is more than the store takes in parts (%s)", largest, units.ExactSize(l.Object))}
	}
	return nil
}

// checkDestructive returns an error for a workload that would overwrite or delete existing objects, unless the plan permits that.
func (s *task) checkDestructive(p *Plan) error {
	if !p.Force {
		what := "overwrite or delete objects"
		if s.traits.OnlyBuckets() {
			what = "delete buckets"
		}
		const text = "%s on bucket %q: it would %s that this run did not make; add --force if that is what you want"
		return fmt.Errorf(text, s.Workload, p.Target.Bucket, what)
	}
	if prefix := s.set.spec.Prefix; prefix != "" && s.set.root() == "" {
		const text = "%q is no prefix, so %s would work on all objects of bucket %q; name one, or leave it out if that is what you want"
		return option.Errorf("prefix", text, prefix, s.Workload, p.Target.Bucket)
	}
	return nil
}

// checkAssumed returns an error if a data set says what no task can assume.
func (s *task) checkAssumed() (errs []error) {
	switch assume := s.set.spec.Assume; {
	case assume == "":
	case s.traits.OnlyBuckets():
	case assume != generator.AssumeNames && assume != generator.AssumeSizes: // reported already
	case !s.traits.Existing:
		errs = append(errs, option.Errorf("assume", "%s makes its objects; use --list-existing as well", s.Workload))
	case s.traits.Objects == 0:
		errs = append(errs, option.Errorf("objects", "want their number with --assume"))
	case s.traits.If.NeedsETags() || s.traits.Versions > 0:
		errs = append(errs, option.Errorf("assume", "ETags and versions are known from a listing only; leave it out"))
	case assume == generator.AssumeNames && (s.traits.Ranged || slices.Contains(s.traits.Kinds, op.GetPart)):
		errs = append(errs, option.Errorf("assume", "ranges and parts depend on the sizes of objects (want %s)", generator.AssumeSizes))
	}
	return errs
}

// conflicts returns an error for each pair of streams that would disturb each other, and for unusable names.
func (c *Compiled) conflicts() (errs []error) {
	errs = c.tooFewKeys()
	if len(c.tasks) == 1 {
		if errs = append(errs, c.unused()...); c.changing(c.tasks[0]) != nil {
			errs = append(errs, c.changing(c.tasks[0]))
		}
		return errs
	}
	if reads := func(t *task) bool { return t.traits.Effect == work.Reads }; c.SharedData && len(c.streams) > 1 {
		if k := slices.IndexFunc(c.tasks, func(t *task) bool { return !reads(t) }); k >= 0 {
			const text = "several benchmarks in one run can only read the data that clients share, and %s does not; " +
				"run them one after the other, with --keep-data and --list-existing"
			errs = append(errs, option.Errorf("shared-data", text, c.tasks[k].Workload))
		}
	}
	names := map[string]bool{op.PhasePrepare: true, "": len(c.streams) > 1}
	for _, s := range c.streams {
		if names[strings.ToLower(s.Name)] {
			errs = append(errs, errorsInStream(s.Name,
				fmt.Errorf("stream %q: missing or duplicate name (want a different one for each stream)", s.Name))...)
		}
		names[strings.ToLower(s.Name)] = true
		if s.Autoterm != nil && len(c.phaseStreams(s.phase)) > 1 {
			errs = append(errs, errorsInStream(s.Name, fmt.Errorf("stream %q: autoterm with parallel streams (want one or the other)", s.Name))...)
		}
	}
	if n := c.threads(); n > MaxThreads {
		errs = append(errs, fmt.Errorf("%d threads at once (want at most %d)", n, MaxThreads))
	}
	for i, t := range c.tasks {
		errs = append(errs, c.changing(t))
		for _, other := range c.tasks[i+1:] {
			if why := t.conflictWith(other); why != "" {
				errs = append(errs, other.partError(fmt.Errorf("%s: %s", describePair(t, other), why)))
			}
		}
	}
	errs = append(errs, c.sameKeys()...)
	return slices.DeleteFunc(append(errs, c.unused()...), func(err error) bool { return err == nil })
}

// tooFewKeys returns an error for each data set with more objects than keys.
func (c *Compiled) tooFewKeys() (errs []error) {
	for _, set := range c.sets {
		switch most, n, assumed := c.keys(set, 0).MaxObjects(), c.needed(set), c.assumed(set); {
		case most == 1 && max(n, assumed) > 1:
			errs = append(errs, errorInSet(set.name,
				option.Errorf("keys", "%q names one object (want {i} or another number for several)", set.spec.Keys)))
		case most > 0 && n > most && n < work.MaxObjects: // which stands for any number in scenarios
			errs = append(errs, errorInSet(set.name, option.Errorf("objects", "%d with names %q (want at most %d)", n, set.spec.Keys, most)))
		}
	}
	return errs
}

// needed returns how many keys a data set needs; objects that tasks add count as one more.
func (c *Compiled) needed(set *setPlan) uint64 {
	n := cmp.Or(set.names, set.objects)
	for _, t := range c.tasks {
		if t.set == set && (t.traits.Effect == work.Adds || t.traits.AddsObjects) {
			n = max(n, 1) + 1
		}
	}
	return n
}

// assumed returns how many objects of a data set are taken to exist without looking for them.
func (c *Compiled) assumed(set *setPlan) (n uint64) {
	for _, t := range c.tasks {
		if t.set == set && set.spec.Assume != "" {
			n = max(n, t.traits.Objects)
		}
	}
	return n
}

// sameKeys returns an error for each pair of data sets that could have the same key.
func (c *Compiled) sameKeys() (errs []error) {
	for i, one := range c.sets {
		for _, two := range c.sets[i+1:] {
			a, b := c.keys(one, 0).KeyForm(), c.keys(two, 0).KeyForm()
			if one.spec.Seed > 0 && one.seed == two.seed && one.makes && two.makes &&
				one.spec.Prefix == two.spec.Prefix && one.spec.Keys == two.spec.Keys {
				const same = "two data sets have the seed %d, so their objects would have the same names; " +
					"give them different ones, or a --prefix each"
				errs = append(errs, errorInSet(two.name, option.Errorf("data.seed", same, one.spec.Seed)))
				continue
			}
			if one.makes && two.makes && generator.FormsOverlap(a, b) {
				errs = append(errs, errorInSet(two.name,
					option.Errorf("keys", "two data sets could have the same keys, %q and %q; give them different names, or a --prefix each", a, b)))
			}
		}
	}
	return errs
}

// conflictWith returns the reason why a stream and a later or parallel one cannot work as declared; empty if they can.
func (s *task) conflictWith(later *task) string {
	one, two := &s.traits, &later.traits
	switch {
	case one.OnlyBuckets() || two.OnlyBuckets():
		return ""
	case s.set == later.set && objectConflict(s, later) != "":
		return objectConflict(s, later)
	case s.set == later.set && one.Existing != two.Existing:
		return "one uploads the data set that the other looks for in the bucket"
	case s.set != later.set && one.Existing != two.Existing && s.set.mixes(later.set):
		return "the objects of one lie below the prefix where the other looks for existing ones"
	case s.set != later.set && !(one.Existing && two.Existing && s.set.overlaps(later.set)):
		if s.listsOthers(later) || later.listsOthers(s) {
			return "one lists the prefix of the other's objects; leave out --noprefix, or give them different prefixes"
		}
		return ""
	}
	if s.set.changes {
		if one.Checks && two.Rewrites || one.Rewrites && two.Checks {
			return "one overwrites objects whose contents the other compares with what was uploaded; leave out verify"
		}
		return ""
	}
	// Both work on the same objects.
	switch parallel := s.of.phase == later.of.phase; {
	case (one.Versions > 0 || two.Versions > 0) && (one.Versions != two.Versions || one.Objects != two.Objects):
		return "one uses versions of other objects, or another number of versions, than the other"
	case one.Effect == work.Changes:
		return "the first deletes or overwrites objects that the second works on"
	case two.Effect == work.Changes && parallel:
		return "the second deletes or overwrites objects that the first works on"
	}
	return ""
}

// listsOthers reports whether its listings contain objects of another stream.
func (s *task) listsOthers(other *task) bool {
	return slices.Contains(s.traits.Kinds, op.List) && s.set.spec.NoPrefix && other.set.makes && s.set.overlaps(other.set)
}

// changing returns an error for an order of access that a task cannot have because others add objects to its data set or take them out.
func (c *Compiled) changing(t *task) error {
	changes := func(s *stream) bool { return s.changes(t.set) }
	if t.traits.Access.Group.Of > 0 && slices.ContainsFunc(c.streams, changes) {
		return t.fault(option.Errorf("access", "%s: objects join or leave the data set (want a range without groups)", t.traits.Access))
	}
	if t.traits.Access.Pattern != generator.Shuffle || !t.traits.Picks || !c.changesIn(t.of.phase, t.set) {
		return nil
	}
	return t.fault(option.Errorf("access",
		"shuffle: objects join or leave the data set at the same time (want uniform, seq, zipf, hot or latest)"))
}

// unused returns an error for each data set without a stream.
func (c *Compiled) unused() (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(c.Sets)) {
		if !slices.ContainsFunc(c.tasks, func(t *task) bool { return t.Set == name }) {
			errs = append(errs, errorInSet(name, fmt.Errorf("data set %q: no stream works on it", name)))
		}
	}
	return errs
}
