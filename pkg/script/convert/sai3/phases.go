package sai3

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// stages adds the phases: distributed.stages by their order, or preparation and workload.
func (b *bench) stages() {
	distributed := b.root.Values["distributed"]
	if n := len(distributed.Values["agents"].List); n > 0 {
		b.Notef("The original runs on %d agents: start warp client on each, and add --warp-client; keys then need {client}. "+
			"Without it this machine runs what one agent does.", n)
	}
	list := slices.Clone(distributed.Values["stages"].List)
	if len(list) == 0 || b.only {
		b.prepare()
		if !b.only {
			b.workload("workload", b.root.Values["duration"])
		}
		return
	}
	slices.SortStableFunc(list, func(x, y draft.Entry) int {
		return int(b.whole(x.Values["order"], "order", 0) - b.whole(y.Values["order"], "order", 0))
	})
	for _, e := range list {
		b.stage(e)
	}
	b.Notef("All execute stages run the same workload, as in the original.")
}

// stage adds the phases of a stage.
func (b *bench) stage(e draft.Entry) {
	config := e
	if inner := e.Values["config"]; inner.Values != nil {
		config = inner
	}
	name := e.Values["name"].Text
	switch kind := config.Values["type"]; kind.Text {
	case "execute":
		duration := config.Values["duration"]
		if duration.Text == "" {
			duration = b.root.Values["duration"]
		}
		b.workload(name, duration)
	case "prepare":
		b.prepare()
	case "cleanup":
		for _, m := range b.made {
			b.clean(m.name)
			if m.deletable != "" {
				b.clean(m.deletable)
			}
		}
	case "validation":
		b.Notef("Stage %s: nothing is validated by itself; warp verify compares what a run kept.", name)
	case "custom":
		command := append([]string{config.Values["command"].Text}, config.Values["args"].Texts()...)
		b.Phases = append(b.Phases, script.Phase{Exec: script.Exec{Command: script.Texts(slices.DeleteFunc(command, isEmpty)...)}})
		b.Notef("Stage %s runs a program: it needs --allow-exec.", name)
	default:
		b.Addf(kind.At, "stage %s: type %q cannot be converted (want execute, prepare, cleanup, validation or custom)", name, kind.Text)
	}
}

func isEmpty(text string) bool { return text == "" }

func (b *bench) clean(set string) {
	if b.stay || b.skip {
		return
	}
	b.Set(set).Keep = script.Value{}
	b.Phases = append(b.Phases, script.Phase{Clean: script.Text(set)})
}

// threads returns the number of threads.
func (b *bench) threads() script.Load {
	n := b.whole(b.root.Values["concurrency"], "concurrency", 16)
	if n < 1 {
		b.Addf(b.root.Values["concurrency"].At, "concurrency: 0 (want at least 1)")
	}
	return script.Load{Threads: []script.Value{draft.Number(n)}}
}

// prepare adds the steps that make data sets, in parallel. If nothing else is done, they are what is measured.
func (b *bench) prepare() {
	var steps []script.Phase
	for _, m := range b.made {
		for _, set := range []string{m.name, m.deletable} {
			switch {
			case set == "" || b.skip:
			case b.only:
				ph := b.Measure(set, draft.Op("put", set))
				ph.Load, ph.Until.Ops = b.threads(), draft.Number(m.objects)
			default:
				steps = append(steps, script.Phase{Prepare: script.Text(set), Load: b.threads()})
			}
		}
	}
	if len(steps) > 1 {
		steps = []script.Phase{{Parallel: steps}}
	}
	b.Phases = append(b.Phases, steps...)
	if delay := b.duration(lookup(b.root, "prepare", "post_prepare_delay"), "post_prepare_delay", 0); delay > 0 && len(steps) > 0 {
		b.Phases = append(b.Phases, script.Phase{Wait: draft.Duration(delay)})
	}
}

// workload adds the measured phase, and in parallel one for each operation with a concurrency of its own.
func (b *bench) workload(label string, duration draft.Entry) {
	together := script.Phase{Run: script.Text(b.label(label)), Load: b.load()}
	together.Pos = b.root.Places["workload"]
	b.until(&together, duration)
	var phases []script.Phase
	for _, e := range b.root.Values["workload"].List {
		do, ok := b.operation(e)
		own := b.whole(e.Values["concurrency"], "concurrency", 0)
		switch {
		case !ok:
		case own > 0:
			ph := script.Phase{Run: script.Text(b.label(label + "-" + do.Op)), Do: []script.Do{do}}
			ph.Do[0].Weight = script.Value{}
			ph.Load.Threads = []script.Value{draft.Number(own)}
			b.until(&ph, duration)
			draft.AddNote(&ph.Head, "Approximated: an operation with a concurrency of its own is not chosen by weight here.")
			phases = append(phases, ph)
		default:
			together.Do = append(together.Do, do)
		}
	}
	if len(together.Do) == 1 {
		together.Do[0].Weight = script.Value{}
	}
	if len(together.Do) > 0 {
		phases = append([]script.Phase{together}, phases...)
	}
	switch len(phases) {
	case 0:
		b.Addf(b.root.Values["workload"].At, "workload has no operations")
	case 1:
		b.Phases = append(b.Phases, phases[0])
	default:
		b.Phases = append(b.Phases, script.Phase{Parallel: phases})
	}
}

// label returns a label that no phase has yet.
func (b *bench) label(label string) string {
	if label == "" {
		label = "workload"
	}
	used := func(l string) bool {
		return slices.ContainsFunc(b.Phases, func(ph script.Phase) bool {
			return ph.Run.Text == l || slices.ContainsFunc(ph.Parallel, func(p script.Phase) bool { return p.Run.Text == l })
		})
	}
	free := label
	for n := 2; used(free); n++ {
		free = label + "-" + strconv.Itoa(n)
	}
	return free
}

// load returns the load of all operations together.
func (b *bench) load() script.Load {
	l := b.threads()
	rate := b.root.Values["io_rate"]
	iops := rate.Values["iops"]
	if iops.Text == "" || iops.Text == "max" || iops.Text == "0" {
		return l
	}
	l = script.Load{Rate: script.Texts(draft.Decimal(b.number(iops, "io_rate.iops", 1))), MaxInflight: l.Threads[0]}
	switch kind := rate.Values["distribution"]; kind.Text {
	case "", "exponential":
		l.Arrivals = script.Text("poisson")
	case "deterministic":
	case "uniform":
		b.Notef("Approximated: io_rate.distribution=uniform: operations are at equal intervals here.")
	default:
		b.Addf(kind.At, "io_rate.distribution: invalid value %q (want exponential, uniform or deterministic)", kind.Text)
	}
	return l
}

// until sets what ends a phase.
func (b *bench) until(ph *script.Phase, duration draft.Entry) {
	ph.Until.Time = draft.Duration(b.duration(duration, "duration", time.Minute))
	if warmup := b.duration(b.root.Values["warmup_period"], "warmup_period", 0); warmup > 0 {
		ph.Warmup = draft.Duration(warmup)
	}
	if most := lookup(b.root, "error_handling", "max_errors"); most.Text != "" {
		ph.Expect = []script.Expect{{If: script.Textf("errors <= %d", b.whole(most, "max_errors", 100)), Abort: draft.Yes()}}
	}
}

// operation returns an entry of the workload; false for none.
func (b *bench) operation(e draft.Entry) (do script.Do, ok bool) {
	weight := b.number(e.Values["weight"], "weight", 1)
	op := e.Values["op"]
	kind := strings.ToLower(op.Text)
	switch kind {
	case "put":
		do = draft.Op(kind, b.uploads(e))
	case "get", "stat":
		set, largest := b.setOf(kind, e.Values["path"])
		do = draft.Op(kind, set, "access", "uniform")
		if part := b.partSize(); kind == "get" && part > 0 && (largest == 0 || largest > part) {
			do.Params = append(do.Params, script.NewParam("part.size", units.ExactSize(part)))
		}
	case "list":
		set, _ := b.setOf(kind, e.Values["path"])
		do = draft.Op(kind, set, "max-keys", "1000")
	case "delete":
		set, _ := b.setOf(kind, e.Values["path"])
		do = draft.Op(kind, set, "access", "shuffle", "batch", "1")
		draft.AddNote(&do.Head, "Approximated: an object is deleted once; the original draws with repeats.")
	default:
		b.Addf(op.At, "op %q cannot be converted (want get, put, list, stat or delete)", op.Text)
		return do, false
	}
	do.Pos, do.Weight = e.At, script.Text(draft.Decimal(weight))
	return do, weight > 0
}

// uploads returns the data set of new objects, which it adds.
func (b *bench) uploads(e draft.Entry) string {
	size := b.sizes(e, "workload")
	if size == "" {
		b.Addf(e.At, "op put: object_size is missing")
	}
	keys := draft.KeyText(directory(literal(b.key(e.Values["path"])))) + "obj_{hash:20d}"
	for _, set := range b.Data {
		if set.Keys.Text == keys && set.Size.Text == size {
			return set.Name
		}
	}
	set := b.Set(b.name("new"))
	set.Pos = e.At
	set.Keys, set.Size, set.Keep = script.Text(keys), script.Text(size), draft.Yes()
	b.contents(set, e, "workload")
	return set.Name
}

// partSize returns the size of ranges that large objects are read in; 0 for whole objects.
func (b *bench) partSize() int64 {
	ranges, optimization := b.root.Values["range_engine"], b.root.Values["s3dlio_optimization"]
	switch {
	case draft.IsTrue(ranges.Values["enabled"].Text):
		return b.bytes(ranges.Values["chunk_size"], "range_engine.chunk_size", 64<<20)
	case draft.IsTrue(optimization.Values["enable_range_downloads"].Text):
		return 64 << 20
	}
	return 0
}
