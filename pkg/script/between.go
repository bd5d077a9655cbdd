package script

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"warp/pkg/bench"
)

// between resolves what is done between runs.
type between struct {
	evaluator
	file    *File
	emptied []emptied
}

// step resolves what a phase that measures nothing does, after some runs.
func (b *between) step(ph *Phase, path string, runs int) (out step, ok bool) {
	kind := ph.step()
	var pos Pos
	switch kind {
	case "prepare":
		pos = ph.Prepare.Pos
		out.Step, ok = b.prepareStep(ph, path)
	case "clean":
		pos = ph.Clean.Pos
		out.Step, ok = b.cleanStep(ph, path, runs)
	case "verify":
		pos = ph.Verify.Pos
		out.Step, ok = b.verifyStep(ph, path)
	case "wait":
		pos = ph.Wait.Pos
		out.Step, ok = b.waitStep(ph, path)
	case "exec":
		pos = ph.Exec.Pos
		out.Step, ok = execStep(b.evaluator, ph, path)
	default:
		b.add(ph.Pos, path, "%s is not possible yet", kind)
	}
	out.at = place{pos, path + "." + kind}
	return out, ok
}

// prepareStep resolves the upload of a data set.
func (b *between) prepareStep(ph *Phase, path string) (s bench.Step, ok bool) {
	name, ok := b.setOf(ph.Prepare, path+".prepare")
	if !ok {
		return s, false
	}
	return bench.Step{Prepare: name, Threads: b.threadsOf(ph, path)}, true
}

// threadsOf returns the number of threads of a step; 0: it does not say.
func (b *between) threadsOf(ph *Phase, path string) int {
	other := ph.Load
	other.Threads, other.Note = nil, Note{}
	if !reflect.ValueOf(other).IsZero() {
		b.add(ph.Load.Pos, path+".load", "only a number of threads is possible here")
		return 0
	}
	if ph.Load.Threads == nil {
		return 0
	}
	text, ok := b.text(b.joinValues(ph.Load.Threads, path+".load"), path+".load")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > bench.MaxThreads {
		b.add(ph.Load.Pos, path+".load", "invalid value %q (want a number of threads, 1 to %d)", text, bench.MaxThreads)
	}
	return n
}

// cleanStep resolves the deletion of a data set.
func (b *between) cleanStep(ph *Phase, path string, runs int) (s bench.Step, ok bool) {
	name, ok := b.setOf(ph.Clean, path+".clean")
	if !ok {
		return s, false
	}
	if b.isTrue(ph.Buckets, path+".buckets") && runs > 0 {
		b.emptied = append(b.emptied, emptied{place{ph.Buckets.Pos, path + ".buckets"}, runs})
	}
	// A run deletes only what it made, so nothing before its first phase.
	return bench.Step{Clean: name, Threads: b.threadsOf(ph, path)}, runs > 0
}

// emptied is a step that deletes buckets, which the clean-up of the run does.
type emptied struct {
	place
	runs int // before it
}

// checkEmptied complains about deletions of buckets that later phases need.
func (b *between) checkEmptied(runs int) {
	for _, e := range b.emptied {
		if e.runs < runs {
			b.add(e.pos, e.path,
				"runs follow, which need the buckets (want it in the last step; names of the run are claimed in them until its end)")
		}
	}
}

// verifyStep resolves the comparison of a data set with what was uploaded.
func (b *between) verifyStep(ph *Phase, path string) (s bench.Step, ok bool) {
	name, ok := b.setOf(ph.Verify, path+".verify")
	s.Verify, s.Threads = name, b.threadsOf(ph, path)
	if text, given := b.text(ph.Sample, path+".sample"); given {
		share, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		if !strings.HasSuffix(text, "%") || err != nil || !(share > 0 && share <= 100) {
			b.add(ph.Sample.Pos, path+".sample", "invalid value %q (want a share of the objects, as in 1%%)", text)
			return s, false
		}
		s.Sample = share / 100
	}
	return s, ok
}

// waitStep resolves a pause between phases.
func (b *between) waitStep(ph *Phase, path string) (s bench.Step, ok bool) {
	text, ok := b.text(ph.Wait, path+".wait")
	if !ok {
		b.missing(ph.Wait, path+".wait")
		return s, false
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		b.add(ph.Wait.Pos, path+".wait", "invalid value %q (want a duration, as in 60s)", text)
		return s, false
	}
	return bench.Step{Wait: d}, true
}

// setOf returns the data set that a step names.
func (b *between) setOf(v Value, path string) (name string, ok bool) {
	if name, ok = b.text(v, path); !ok {
		b.missing(v, path)
		return name, false
	}
	set, ok := b.file.Data.Lookup(name)
	if !ok {
		b.add(v.Pos, path, "%s", b.file.Data.unknown(name))
		return name, false
	}
	text, _ := b.text(set.Existing, "data."+name+".existing")
	if exists, _ := strconv.ParseBool(text); exists { // what is no boolean is a complaint of its own
		b.add(v.Pos, path, "data set %q has existing objects (existing: true), which a run neither uploads, verifies nor deletes", name)
		return name, false
	}
	return name, true
}
