package cosbench

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// stage adds the phases of a workstage.
func (c *converter) stage(stage *element) {
	var works []script.Phase
	for _, w := range stage.children {
		if w.name == "work" && !strings.EqualFold(stage.attrs["name"], "delay") {
			works = append(works, c.work(w, stage.attrs["name"], works)...)
		}
	}
	switch {
	case len(works) > 1:
		c.Phases = append(c.Phases, script.Phase{Note: script.Note{Pos: stage.at}, Parallel: works})
	case len(works) == 1:
		c.Phases = append(c.Phases, works[0])
	}
	if n := stage.whole("closuredelay", 0, &c.Problems); n > 0 {
		c.Phases = append(c.Phases, script.Phase{Note: script.Note{Pos: stage.at}, Wait: c.seconds(stage, n)})
	}
}

func (c *converter) seconds(e *element, n uint64) script.Value {
	return draft.Duration(time.Duration(min(n, 1<<32)) * time.Second).At(e.at)
}

// work returns the phase of a work; others are the phases of its stage before it.
func (c *converter) work(w *element, stage string, others []script.Phase) []script.Phase {
	switch kind := w.attrs["type"]; kind {
	case "init", "dispose":
		c.Notef("init, dispose: buckets are made before the run, and removed if the run made them; that is not measured.")
	case "delay":
	case "cleanup":
		return c.cleanup(w, c.of(w.inner()), others)
	case "prepare", "mprepare":
		return c.prepare(w, c.of(w.inner()), stage, others)
	case "", "normal":
		return []script.Phase{c.normal(w, stage)}
	default:
		c.Addf(w.at, "work of type %q (want init, prepare, mprepare, normal, cleanup, dispose or delay)", kind)
	}
	return nil
}

// threads returns the load of a work.
func (c *converter) threads(w *element) script.Load {
	n := w.whole("workers", 1, &c.Problems)
	if n == 0 {
		c.Addf(w.at, "workers=\"0\" (want at least 1)")
	}
	return script.Load{Threads: []script.Value{draft.Number(n).At(w.at)}}
}

func (c *converter) cleanup(w *element, s *dataSet, others []script.Phase) []script.Phase {
	s.keep = false
	ph := script.Phase{Note: script.Note{Pos: w.at}, Clean: script.Text(s.name).At(w.at), Load: c.threads(w)}
	for _, o := range others {
		if o.Clean.Text == s.name {
			return nil
		}
	}
	if s.existing() {
		c.Notef("cleanup: objects that the run did not make stay.")
		return nil
	}
	return []script.Phase{ph}
}

func (c *converter) prepare(w *element, s *dataSet, stage string, others []script.Phase) []script.Phase {
	s.keep = true
	if !c.measures {
		others = append(others, c.Phases...)
	}
	if slices.ContainsFunc(others, func(o script.Phase) bool { return o.Names(s.name) }) {
		return nil
	}
	ph := script.Phase{Note: script.Note{Pos: w.at}, Prepare: script.Text(s.name).At(w.at), Load: c.threads(w)}
	if !c.measures {
		return []script.Phase{c.measuredPrepare(w, s, stage)}
	}
	if w.attrs["type"] == "mprepare" {
		draft.AddNote(&ph.Head, "Approximated: mprepare uploads in parts of %s; here each object is one request.",
			size(w.bytes("part_size", defaultPart, &c.Problems)))
	}
	sel, _ := c.selector(w.inner(), "objects")
	if sel.first > 1 || sel.last != s.objects {
		draft.AddNote(&ph.Head, "Approximated: all objects are made here; the original makes %d to %d, and others when they are first written.",
			sel.first, sel.last)
	}
	return []script.Phase{ph}
}

// measuredPrepare returns the preparation of a file that measures nothing else, so that another file finds its objects.
func (c *converter) measuredPrepare(w *element, s *dataSet, stage string) script.Phase {
	ph := script.Phase{Note: script.Note{Pos: w.at}, Run: script.Text(c.Label(stage, w.attrs["name"], "upload")).At(w.at), Load: c.threads(w)}
	ph.Do = []script.Do{draft.Op("put", s.name)}
	if w.attrs["type"] == "mprepare" {
		ph.Do[0] = draft.Op("multipart-put", s.name, "part.size", size(w.bytes("part_size", defaultPart, &c.Problems)), "part.concurrent", "1")
	}
	ph.Do[0].Pos = w.at
	ph.Until.Ops = draft.Number(s.objects * s.buckets()).At(w.at)
	return ph
}

// normal returns the phase of a measured work.
func (c *converter) normal(w *element, stage string) script.Phase {
	ph := script.Phase{Note: script.Note{Pos: w.at}, Run: script.Text(c.label(w, stage)).At(w.at), Load: c.threads(w)}
	if w.attrs["workers"] == "" {
		c.Addf(w.at, "work %q has no workers", ph.Run.Text)
	}
	sum := uint64(0)
	for _, o := range w.children {
		if o.name == "operation" {
			ratio := o.whole("ratio", 100, &c.Problems)
			sum += ratio
			ph.Do = append(ph.Do, c.operation(o, ratio)...)
		}
	}
	switch {
	case len(c.List) > 0:
	case sum == 0:
		c.Addf(w.at, "work %q has no operations", ph.Run.Text)
	case sum != 100:
		c.Addf(w.at, "the ratios of work %q are %d together (want 100, as in COSBench)", ph.Run.Text, sum)
	case len(ph.Do) == 1:
		ph.Do[0].Weight = script.Value{}
	}
	c.until(w, &ph)
	c.rest(w, &ph)
	return ph
}

// label returns the name of a measured work, or of its stage if there are several works of that name.
func (c *converter) label(w *element, stage string) string {
	name, same := strings.TrimSpace(w.attrs["name"]), 0
	c.root.walk(func(e *element) {
		if e.name == "work" && strings.EqualFold(strings.TrimSpace(e.attrs["name"]), name) {
			same++
		}
	})
	if same > 1 {
		return c.Label(stage, name)
	}
	return c.Label(name, stage)
}

// until sets what ends a measured work.
func (c *converter) until(w *element, ph *script.Phase) {
	workers := max(1, w.whole("workers", 1, &c.Problems))
	if n := w.whole("runtime", 0, &c.Problems); n > 0 {
		ph.Until.Time = c.seconds(w, n)
	}
	for _, o := range []struct {
		name string
		to   *script.Value
	}{{"totalOps", &ph.Until.Ops}, {"totalBytes", &ph.Until.Bytes}} {
		n := w.whole(o.name, 0, &c.Problems)
		switch each := n / workers; {
		case n == 0:
		case each == 0:
			c.Addf(w.at, "%s=\"%d\" is less than one for each of %d workers", o.name, n, workers)
		default:
			*o.to = draft.Number(each * workers).At(w.at)
		}
		if n%workers > 0 {
			draft.AddNote(&ph.Head, "%s: %d for %d workers; as in the original, the rest is dropped.", o.name, n, workers)
		}
	}
	if ph.Until.Time.IsZero() && ph.Until.Ops.IsZero() && ph.Until.Bytes.IsZero() {
		c.Addf(w.at, "work %q has no end (want runtime, totalOps or totalBytes)", ph.Run.Text)
	}
}

// defaultAFR is the accepted failure ratio of a measured work, per million.
const defaultAFR = 200_000

// rest sets what else the attributes of a measured work say.
func (c *converter) rest(w *element, ph *script.Phase) {
	if n := w.whole("rampup", 0, &c.Problems); n > 0 {
		ph.Warmup = c.seconds(w, n)
	}
	if n := w.whole("rampdown", 0, &c.Problems); n > 0 {
		draft.AddNote(&ph.Head, "rampdown: in the original the load goes on for %s after the measurement.", c.seconds(w, n).Text)
	}
	afr := draft.Decimal(float64(w.whole("afr", defaultAFR, &c.Problems)) / 10_000)
	ph.Expect = []script.Expect{{If: script.Text("errors <= " + afr + "%").At(w.at)}}
	if division := w.attrs["division"]; division == "object" || division == "container" {
		draft.AddNote(&ph.Head, "Approximated: division=%s; a worker of the original keeps to its part, here workers take turns.", division)
	}
	driver := w.attrs["driver"]
	if driver == "" {
		return
	}
	if n, err := strconv.Atoi(strings.TrimLeft(strings.ToLower(driver), "drive")); err == nil && n > 0 {
		ph.OnClients = []script.Value{script.Text(strconv.Itoa(n)).At(w.at)}
		draft.AddNote(&ph.Head, "driver=%s: the client of that number.", driver)
		return
	}
	draft.AddNote(&ph.Head, "Approximated: only driver %s works here in the original; name one of several clients with on-clients.", driver)
}

// defaultPart is the size of parts of the fork of sine-io.
const defaultPart = 5 << 20

// bytes returns a number of bytes of the storage.
func (e *element) bytes(name string, missing uint64, errs *draft.Problems) uint64 {
	text := e.storage[name]
	if text == "" {
		return missing
	}
	n, err := strconv.ParseUint(text, 10, 43)
	if err != nil || n == 0 {
		errs.Addf(e.at, "%s=%s (want a number of bytes)", name, text)
	}
	return n
}

// size writes a size.
func size(n uint64) string { return units.ExactSize(int64(n)) }
