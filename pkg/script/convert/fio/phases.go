package fio

import (
	"slices"
	"strconv"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// groups returns the jobs that start at the same time.
func (s *scenario) groups() (groups [][]*work) {
	for _, w := range s.works {
		waits := len(groups) == 0 || w.on("stonewall")
		if !waits {
			last := groups[len(groups)-1]
			waits = slices.ContainsFunc(last, func(other *work) bool { return other.name == w.text("wait_for") })
		}
		if waits {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], w)
	}
	for _, group := range groups {
		for i, w := range group {
			for j, other := range group {
				w.shared = w.shared || i != j && slices.ContainsFunc(w.files, func(f string) bool { return slices.Contains(other.files, f) })
			}
		}
	}
	return groups
}

// group adds the phases of jobs that start at the same time.
func (s *scenario) group(group []*work) {
	delay := group[0].duration("startdelay", time.Second)
	for _, w := range group[1:] {
		if w.duration("startdelay", time.Second) != delay {
			s.Addf(w.at("startdelay"),
				"startdelay=%s: phases in parallel start at the same time (want stonewall, or the same delay)", w.text("startdelay"))
		}
	}
	if delay > 0 {
		s.Phases = append(s.Phases, script.Phase{Wait: draft.Duration(delay)})
	}
	var phases []script.Phase
	for _, w := range group {
		phases = append(phases, s.phase(w))
	}
	if len(phases) > 1 {
		phases = []script.Phase{{Parallel: phases}}
	}
	s.Phases = append(s.Phases, phases...)
	for _, w := range group {
		s.verify(w)
	}
	for _, w := range group {
		for _, set := range w.sets {
			s.filled[set] = s.filled[set] || w.writes
		}
	}
}

// phase returns the phase of a job.
func (s *scenario) phase(w *work) script.Phase {
	label := w.name
	if s.labels[w.name]++; s.labels[w.name] > 1 {
		label += "-" + strconv.Itoa(s.labels[w.name])
	}
	ph := script.Phase{Run: script.Text(label).At(w.section.at), Load: w.load(), Until: w.until()}
	ph.Pos = w.section.at
	if ramp := w.duration("ramp_time", time.Second); ramp > 0 {
		ph.Warmup = draft.Duration(ramp)
	}
	for _, set := range w.sets {
		ph.Do = append(ph.Do, s.operations(w, set, &ph.Head)...)
	}
	if w.trims && w.passes {
		draft.AddNote(&ph.Head, "Approximated: fio deletes the same names again and again; here each object is deleted once.")
	}
	if w.whole("iodepth") > 1 {
		draft.AddNote(&ph.Head, "iodepth=%s does nothing: the engine is synchronous.", w.text("iodepth"))
	}
	return ph
}

// operations returns what a job does with a data set.
func (s *scenario) operations(w *work, set string, head *string) (list []script.Do) {
	weights := [2]float64{}
	if w.reads && w.writes {
		weights[0] = w.percent("rwmixread")
		if _, ok := w.values.values["rwmixwrite"]; ok {
			weights[0] = 100 - w.percent("rwmixwrite")
		}
		weights[1] = 100 - weights[0]
	}
	add := func(do script.Do, weight float64) {
		if weight > 0 {
			do.Weight = script.Text(draft.Decimal(weight))
		}
		list = append(list, do)
	}
	if w.reads && (!w.writes || weights[0] > 0) {
		add(s.read(w, set), weights[0])
	}
	if w.writes && (!w.reads || weights[1] > 0) {
		add(s.write(w, set, head), weights[1])
	}
	if w.trims {
		add(draft.Op("delete", set, "access", trimAccess(w), "batch", "1"), 0)
	}
	return list
}

// trimAccess returns the order of deletions: each needs an object of its own.
func trimAccess(w *work) string {
	if w.random {
		return "shuffle"
	}
	return "seq"
}

// read returns the operation of a job that reads.
func (s *scenario) read(w *work, set string) script.Do {
	if w.ranges {
		form := "seq"
		if w.random {
			form = "aligned"
		}
		return draft.Op("get", set, "range", units.ExactSize(w.block)+"@"+form)
	}
	do := draft.Op("get", set, "access", w.access())
	do.Params[0].Values[0].Pos = w.at("random_distribution")
	if w.on("verify") && s.filled[set] && !s.overwritten(set) {
		do.Params = append(do.Params, script.NewParam("verify", "true"))
	}
	return do
}

// write returns the operation of a job that writes. One that goes through its objects again overwrites them.
func (s *scenario) write(w *work, set string, head *string) script.Do {
	if !w.creates() || s.filled[set] {
		if !s.filled[set] {
			draft.AddNote(head, "Approximated: the objects are uploaded before, and overwritten here.")
		}
		do := draft.Op("put", set, "access", w.access())
		do.Overwrite = draft.Yes()
		return do
	}
	return draft.Op("put", set)
}

// creates reports whether a job writes each of its objects once, while no other job uses them.
func (w *work) creates() bool {
	return !w.passes && !w.shared && !w.reads && !w.ranges && w.ops == w.objects()
}

// overwritten reports whether a job overwrites objects of a data set, whose contents are not known then.
func (s *scenario) overwritten(set string) bool {
	writers := 0
	for _, w := range s.owners[set] {
		if w.writes {
			if writers++; !w.creates() {
				return true
			}
		}
	}
	return writers > 1
}

// verify adds the step after a job that reads back what it wrote.
func (s *scenario) verify(w *work) {
	if !w.writes || !w.on("verify") || !w.on("do_verify") {
		return
	}
	for _, set := range w.sets {
		if s.overwritten(set) {
			s.Notef("Approximated: verify of %s: objects that are overwritten are not read back.", w.name)
			continue
		}
		s.Phases = append(s.Phases, script.Phase{Verify: script.Text(set)})
	}
	s.Notef("verify=%s: every byte is compared.", w.text("verify"))
}
