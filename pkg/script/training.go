package script

import (
	"flag"
	"io"
	"regexp"
	"strconv"
	"time"

	"warp/pkg/bench"
	"warp/pkg/gate"
	"warp/pkg/units"
)

// training is a load that imitates accelerators: each takes a batch of objects, computes for a time, and has threads that read.
type training struct {
	accelerators, readers, batch, prefetch int64
	compute                                time.Duration
}

// rate returns how many objects per second the accelerators of a client take if they never wait.
func (t *training) rate() float64 {
	return float64(t.accelerators*t.batch) / t.compute.Seconds()
}

// train returns a phase with threads and pauses in place of the accelerators of its load, and with rules about the rate of its reads in place
// of those about accelerator utilisation.
func train(r *resolver, ph *Phase, label, path string) *Phase {
	l := &ph.Load
	if l.Accelerators.IsZero() && l.Readers.IsZero() && l.Batch.IsZero() && l.Compute.IsZero() && l.Prefetch.IsZero() {
		return ph
	}
	t, ok := trainingOf(r, l, path+".load")
	if len(l.Threads) > 0 || len(l.Rate) > 0 || !l.Think.IsZero() {
		r.add(l.Pos, path+".load", "accelerators beside threads, rate or think (want one of them)")
		ok = false
	}
	out := *ph
	note := l.Accelerators.Note
	out.Load = Load{Note: l.Note, Threads: []Value{{Text: "1", Note: note}}}
	if ok { // a thread reads one object after the other, each in its part of the time
		each := time.Duration(float64(t.compute) * float64(t.readers) / float64(t.batch))
		out.Load.Threads[0].Text = strconv.FormatInt(t.accelerators*t.readers, 10)
		out.Load.Think = Value{Text: each.String() + "@start", Note: note}
		if ahead := time.Duration(t.prefetch-1) * t.compute; ahead > 0 { // the accelerator goes on with what was read
			out.Load.Think.Text += "+" + ahead.String()
		}
	}
	out.Expect = nil
	for i, e := range ph.Expect {
		at := indexed(path+".expect", i)
		if !aboutUtilisation.MatchString(e.If.Text) {
			out.Expect = append(out.Expect, e)
		} else if text, given := r.text(e.If, at); given && ok {
			utilisation(r, ph, &t, label, Value{Text: text, Note: e.If.Note}, at)
		}
	}
	return &out
}

// trainingOf returns the load that a phase imitates; ok is false if there are complaints.
func trainingOf(r *resolver, l *Load, path string) (t training, ok bool) {
	before := len(r.list)
	for _, n := range []struct {
		v  Value
		to *int64
		at string
	}{{l.Accelerators, &t.accelerators, ".accelerators"}, {l.Readers, &t.readers, ".readers"}, {l.Batch, &t.batch, ".batch"}, {l.Prefetch, &t.prefetch, ".prefetch"}} {
		*n.to = 1
		if n.v.IsZero() {
			continue
		}
		if count, valid := r.count(n.v, path+n.at); valid {
			if *n.to = count; count < 1 || count > bench.MaxThreads {
				r.add(n.v.Pos, path+n.at, "invalid value %d (want 1 to %d)", count, bench.MaxThreads)
			}
		}
	}
	text, given := r.text(l.Compute, path+".compute")
	var err error
	if t.compute, err = time.ParseDuration(text); !given || err != nil || t.compute <= 0 {
		r.add(l.Pos, path+".compute", "invalid value %q (want the time of a training step, as in 323ms)", text)
	}
	return t, len(r.list) == before && !r.secret
}

// Rules about accelerator utilisation, as in au >= 90%.
var (
	aboutUtilisation = regexp.MustCompile(`^\s*au\b`)
	utilisationRule  = regexp.MustCompile(`^\s*au\s*(>=?)\s*([0-9]+(?:\.[0-9]+)?)\s*%\s*$`)
)

// utilisation adds a rule about accelerator utilisation: the rate of reads, divided by that of accelerators which never wait.
func utilisation(r *resolver, ph *Phase, t *training, label string, v Value, path string) {
	m := utilisationRule.FindStringSubmatch(v.Text)
	if m == nil {
		r.add(v.Pos, path, "invalid value %q (want a share, as in au >= 90%%)", v.Text)
		return
	}
	percent, err := strconv.ParseFloat(m[2], 64)
	kind := recordedKind(r, &ph.Do[0], path)
	if err != nil || percent > 100 || kind == "" {
		r.add(v.Pos, path, "invalid value %q (want at most 100%%)", v.Text)
		return
	}
	rule := Rule{Stream: label, Text: "au " + m[1] + " " + m[2] + "% of " + units.PerSecond(t.rate()) + " objects/s", Each: percent / 100 * t.rate()}
	parsed, err := gate.Parse(kind + ".objects" + m[1] + strconv.FormatFloat(rule.Each, 'f', 3, 64) + "/s")
	if err != nil {
		r.add(v.Pos, path, "%v", err)
		return
	}
	rule.Broken = parsed[0].Negated()
	r.rules = append(r.rules, rule)
}

// ForClients returns the rule that so many clients must meet together.
func (r Rule) ForClients(clients int) Rule {
	if r.Each > 0 && clients > 1 {
		kind, metric := r.Broken.Kind, r.Broken.Metric
		if parsed, err := gate.Parse(kind + "." + metric + r.Broken.Op + strconv.FormatFloat(r.Each*float64(clients), 'f', 3, 64) + "/s"); err == nil {
			r.Broken, r.Text = parsed[0], r.Text+" for each of "+units.Plural(int64(clients), "client")
		}
	}
	return r
}

// recordedKind returns the kind that an operation records for an object with its parameters; empty if there is no such operation.
func recordedKind(r *resolver, do *Do, path string) string {
	info, ok := bench.Lookup(do.Op)
	if !ok {
		return ""
	}
	w := info.New()
	flags := flag.NewFlagSet(do.Op, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	w.Flags(flags)
	for i := range do.Params {
		for _, v := range do.Params[i].Values {
			if text, ok := r.text(v, path); ok {
				_ = flags.Set(do.Params[i].Name, text) // there is a complaint where it is resolved
			}
		}
	}
	return bench.KindOfObject(w)
}
