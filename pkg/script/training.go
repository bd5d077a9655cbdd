package script

import (
	"flag"
	"io"
	"regexp"
	"strconv"
	"time"

	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/bench/workload"
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

// train returns a phase with threads and pauses in place of the accelerators of its load, and rules about the rate of its reads in place
// of its rules about accelerator utilisation.
func train(e evaluator, ph *Phase, label, path string) (*Phase, []Rule) {
	l := &ph.Load
	if l.Accelerators.IsZero() && l.Readers.IsZero() && l.Batch.IsZero() && l.Compute.IsZero() && l.Prefetch.IsZero() {
		return ph, nil
	}
	t, ok := trainingOf(e, l, path+".load")
	if len(l.Threads) > 0 || len(l.Rate) > 0 || !l.Think.IsZero() {
		e.add(l.Pos, path+".load", "accelerators with threads, rate or think (want one or the other)")
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
	var rules []Rule
	for i, x := range ph.Expect {
		at := indexed(path+".expect", i)
		if !aboutUtilisation.MatchString(x.If.Text) {
			out.Expect = append(out.Expect, x)
		} else if text, given := e.text(x.If, at); given && ok {
			rules = append(rules, utilisation(e, ph, &t, label, Value{Text: text, Note: x.If.Note}, at)...)
		}
	}
	return &out, rules
}

// trainingOf returns the load that a phase imitates; ok is false if there are complaints.
func trainingOf(e evaluator, l *Load, path string) (t training, ok bool) {
	before := len(e.list)
	for _, n := range []struct {
		v  Value
		to *int64
		at string
	}{
		{l.Accelerators, &t.accelerators, ".accelerators"},
		{l.Readers, &t.readers, ".readers"},
		{l.Batch, &t.batch, ".batch"},
		{l.Prefetch, &t.prefetch, ".prefetch"},
	} {
		*n.to = 1
		if n.v.IsZero() {
			continue
		}
		if count, valid := e.count(n.v, path+n.at); valid {
			if *n.to = count; count < 1 || count > bench.MaxThreads {
				e.add(n.v.Pos, path+n.at, "invalid value %d (want 1 to %d)", count, bench.MaxThreads)
			}
		}
	}
	text, given := e.text(l.Compute, path+".compute")
	var err error
	if t.compute, err = time.ParseDuration(text); !given || err != nil || t.compute <= 0 {
		e.add(l.Pos, path+".compute", "invalid value %q (want the time of a training step, as in 323ms)", text)
	}
	return t, len(e.list) == before
}

// Rules about accelerator utilisation, as in au >= 90%.
var (
	aboutUtilisation = regexp.MustCompile(`^\s*au\b`)
	utilisationRule  = regexp.MustCompile(`^\s*au\s*(>=?)\s*([0-9]+(?:\.[0-9]+)?)\s*%\s*$`)
)

// utilisation returns a rule about accelerator utilisation: the rate of reads, divided by that of accelerators which never wait.
func utilisation(e evaluator, ph *Phase, t *training, label string, v Value, path string) []Rule {
	m := utilisationRule.FindStringSubmatch(v.Text)
	if m == nil {
		e.add(v.Pos, path, "invalid value %q (want a share, as in au >= 90%%)", v.Text)
		return nil
	}
	percent, err := strconv.ParseFloat(m[2], 64)
	kind := recordedKind(e, &ph.Do[0], path)
	if err != nil || percent > 100 || kind == "" {
		e.add(v.Pos, path, "invalid value %q (want at most 100%%)", v.Text)
		return nil
	}
	rule := Rule{
		Stream: label,
		Text:   "au " + m[1] + " " + m[2] + "% of " + units.PerSecond(t.rate()) + " objects/s",
		Each:   percent / 100 * t.rate(),
	}
	parsed, err := gate.Parse(kind + ".objects" + m[1] + strconv.FormatFloat(rule.Each, 'f', 3, 64) + "/s")
	if err != nil {
		e.add(v.Pos, path, "%v", err)
		return nil
	}
	rule.Broken = parsed[0].Negated()
	return []Rule{rule}
}

// recordedKind returns the kind that an operation records for an object with its parameters; empty if there is no such operation.
func recordedKind(e evaluator, do *Do, path string) string {
	info, ok := work.Lookup(do.Op)
	if !ok {
		return ""
	}
	w := info.New()
	flags := flag.NewFlagSet(do.Op, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	w.Flags(flags)
	for i := range do.Params {
		for _, v := range do.Params[i].Values {
			if text, ok := e.text(v, path); ok {
				_ = flags.Set(do.Params[i].Name, text) // there is a complaint where it is resolved
			}
		}
	}
	return workload.KindOfObject(w)
}
