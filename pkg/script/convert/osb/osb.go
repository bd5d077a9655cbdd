// Package osb reads scripts of object-store-bench.
package osb

import (
	"fmt"
	"math"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/shell"
)

// Source is object-store-bench: its scripts, and its command lines.
var Source = draft.Source{
	Name:     "object-store-bench",
	Aliases:  []string{"osb"},
	Title:    "object-store-bench",
	File:     "a script of object-store-bench",
	Programs: []string{program},
	Prints:   "osb",
	Secrets:  []string{"s3-access-key", "s3-secret-key", "adls-sas-token", "adls-shared-key-account-key", "gcp-oauth-token"},
	Options:  options,
	Detect:   func(text string) bool { return detect(text) || !commandStart.MatchString(text) && inShell(text) },
	Read:     read,
	Command:  command,
}

func options() []draft.Option {
	return draft.Rows(append([][3]string{
		{"PUT", "", "a phase that uploads; with a number and RUNTIME, a second one that overwrites at random until the time is over"},
		{"GET", "", "a phase that downloads: the first objects in order, or any with RUNTIME alone"},
		{"DELETE", "", "a phase that deletes: the first objects, the last ones with RUNTIME too, or all in random order"},
		{"REUSE", "", "a data set with `existing: true`; no request is sent"},
		{clauseObjects, "all", "`objects` of the data set, `access: range(...)` and `until: {ops: ...}`"},
		{clauseNaming, "CONSTANT PREFIX", "`keys` of the data set, which give the same names byte for byte"},
		{"WITH SEED", "random", "part of `keys`; without it `{seed}`, which differs in each run and is in its report"},
		{clauseRate, "no limit", "`rate`, of an open loop; fractions and rates below 1/s are kept"},
		{"WARMUP", "none", "stages of `rate` that rise from a third to the full rate; nothing is left out of the report"},
		{clauseMax, "no limit", "`threads`, or `max-inflight` with a rate"},
		{clauseRuntime, "none", "`until: {time: ...}`"},
		{clauseContext, "default", "the name of the data set"},
		{clauseSize, "1 MB", "`size` of the data set; MB is 2^20 bytes"},
	}, optionRows()...))
}

// detect reports whether a text begins with a statement of the language.
func detect(text string) bool {
	lex := newLexer(text)
	first := lex.next()
	for first.kind == tokenSemicolon {
		first = lex.next()
	}
	_, ok := Clauses[first.text]
	if !ok || first.kind != tokenWord {
		return false
	}
	second := lex.next()
	return second.kind != tokenInvalid && second.kind != tokenText
}

// read drafts the scenario of a file: statements, or a command line in a shell script.
func read(d *draft.Draft, text string) {
	if inShell(text) {
		shell.Read(d, text, program, command)
		return
	}
	d.Notef("Options of the command become flags: --base-uri is --host, --bucket, --s3-region is --region.")
	newConverter(d).convert(text)
}

// origin is where statements come from, if they are no file of their own.
type origin struct {
	file  string     // that the command line names
	at    script.Pos // of their option in the command line
	start script.Pos // of the statements in the command line, if that is known
}

// place returns the place of a statement in the file of the command line.
func (o *origin) place(at script.Pos) script.Pos {
	if !o.at.IsZero() {
		return o.at
	}
	return at
}

// converter makes phases of statements.
type converter struct {
	*draft.Draft
	origin
	most     int // operations at a time; 0: no limit
	contexts map[string]*context
	order    []string
	labels   map[string]int
}

func newConverter(d *draft.Draft) *converter {
	return &converter{Draft: d, contexts: map[string]*context{}, labels: map[string]int{}}
}

// convert drafts the phases of statements.
func (c *converter) convert(text string) {
	for _, s := range parseOSB(text, c.start, c.addf) {
		c.statement(s)
	}
	if len(c.List) > 0 {
		return
	}
	for _, name := range c.order {
		c.contexts[name].finish(c.Draft)
	}
	c.Notef("The original never creates its bucket.")
}

// addf reports a problem at a place of the statements.
func (c *converter) addf(at script.Pos, format string, args ...any) {
	switch text := fmt.Sprintf(format, args...); {
	case c.file != "":
		c.Addf(c.at, "%s:%d:%d: %s", c.file, at.Line, at.Column, text)
	case !c.at.IsZero():
		c.Addf(c.at, "--script, line %d, column %d: %s", at.Line, at.Column, text)
	default:
		c.Addf(at, "%s", text)
	}
}

// label numbers statements of the same kind: get, get-2.
func (c *converter) label(name string) string {
	if c.labels[name]++; c.labels[name] > 1 {
		return fmt.Sprintf("%s-%d", name, c.labels[name])
	}
	return name
}

// context returns the context of a statement, which PUT and REUSE create.
func (c *converter) context(s *statement) *context {
	ctx := c.contexts[s.context]
	switch {
	case s.verb == "REUSE" && s.seed == "":
		c.addf(s.clauses[clauseNaming], "REUSE needs WITH SEED: without it, names are new in each run")
		return nil
	case ctx == nil && (s.verb == "GET" || s.verb == "DELETE"):
		c.addf(s.at, "object context %q does not exist; PUT or REUSE objects first", s.context)
		return nil
	case ctx == nil:
		ctx = &context{name: s.context, first: 1, random: s.random, seed: s.seed, existing: s.verb == "REUSE"}
		c.contexts[s.context] = ctx
		c.order = append(c.order, s.context)
	case s.verb == "REUSE":
		c.addf(s.at, "object context %q exists already", s.context)
		return nil
	case s.has(clauseNaming) && (s.random != ctx.random || s.seed != "" && s.seed != ctx.seed):
		c.addf(s.clauses[clauseNaming], "object context %q has another naming strategy or seed", s.context)
		return nil
	case ctx.existing && s.verb == "PUT":
		c.addf(s.at, "context %q has objects of REUSE, which PUT would overwrite; name another one with IN CONTEXT", s.context)
		return nil
	case s.verb == "PUT" && ctx.timed && s.size != ctx.sizes[len(ctx.sizes)-1].size:
		c.addf(s.at, "how many objects of %d bytes an earlier PUT with RUNTIME makes is not known before the run; "+
			"name another context for another size", ctx.sizes[len(ctx.sizes)-1].size)
		return nil
	}
	return ctx
}

// statement adds the phases of a statement.
func (c *converter) statement(s *statement) {
	ctx := c.context(s)
	if ctx == nil {
		return
	}
	phases := len(c.Phases)
	c.Place(c.place(s.at))
	switch s.verb {
	case "REUSE":
		ctx.made = s.objects
	case "PUT":
		c.put(s, ctx)
	case "GET":
		c.get(s, ctx)
	case "DELETE":
		c.delete(s, ctx)
	}
	if s.has(clauseObjects) && s.objects == 0 {
		c.addf(s.clauses[clauseObjects], "0 objects (want at least 1)")
	}
	for i := phases; i < len(c.Phases); i++ {
		if i == phases {
			c.Phases[i].Head = strings.TrimSuffix(draft.Wrap(s.text)+"\n"+c.Phases[i].Head, "\n")
			if len(s.wider) > 0 {
				draft.AddNote(&c.Phases[i].Head, "Wider than the original, which wants: %s.", strings.Join(s.wider, "; "))
			}
		}
	}
}

func (c *converter) put(s *statement, ctx *context) {
	ph := c.Measure(c.label("put"), draft.Op("put", ctx.name))
	c.load(s, ph, s.objects)
	ctx.add(s.objects, s.size)
	ctx.timed = ctx.timed || s.has(clauseRuntime)
	switch {
	case s.has(clauseObjects):
		ph.Until.Ops = draft.Number(s.objects)
		ctx.made += s.objects
	case !s.has(clauseRuntime):
		c.addf(s.at, "PUT needs a number of objects, RUNTIME, or both")
	default:
		ctx.endless = true
	}
	if !s.has(clauseRuntime) {
		return
	}
	ph.Until.Time = draft.Duration(s.runtime)
	if s.has(clauseObjects) {
		again := c.Measure(c.label("put"), draft.Op("put", ctx.name, "overwrite", "true", "access", ctx.pick("uniform")))
		draft.AddNote(&again.Head, "Approximated: the original overwrites random objects in the rest of its time; here that time begins anew.")
		c.load(s, again, s.objects)
		again.Until.Time = draft.Duration(s.runtime)
	}
}

func (c *converter) get(s *statement, ctx *context) {
	if !c.enough(s, ctx) {
		return
	}
	access := ctx.pick("uniform")
	switch {
	case s.has(clauseObjects) && ctx.deleted:
		access = "seq"
	case s.has(clauseObjects):
		access = fmt.Sprintf("range(%d..%d):seq", ctx.first, ctx.first+s.objects-1)
	}
	ph := c.Measure(c.label("get"), draft.Op("get", ctx.name, "access", access))
	if access == "seq" {
		draft.AddNote(&ph.Head, "Approximated: all objects that are left in turn; their number is not known before the run.")
	}
	c.load(s, ph, s.objects)
	switch {
	case s.has(clauseRuntime):
		ph.Until.Time = draft.Duration(s.runtime)
	case s.has(clauseObjects):
		ph.Until.Ops = draft.Number(s.objects)
	default:
		c.addf(s.at, "GET needs a number of objects, RUNTIME, or both")
	}
}

// enough reports whether a context has the objects that a statement needs.
func (c *converter) enough(s *statement, ctx *context) bool {
	switch n := ctx.left(); {
	case ctx.endless, ctx.deleted: // known during the run
		return true
	case n == 0:
		c.addf(s.at, "context %q has no objects left", s.context)
	case s.objects > n:
		c.addf(s.clauses[clauseObjects], "%d objects, but context %q has %d", s.objects, s.context, n)
	default:
		return true
	}
	return false
}

func (c *converter) delete(s *statement, ctx *context) {
	if !c.enough(s, ctx) {
		return
	}
	n := ctx.left()
	switch {
	case s.has(clauseObjects):
		n = s.objects
	case ctx.deleted:
		n = 0
	}
	access := ""
	switch known := !ctx.endless; {
	case ctx.deleted && (s.has(clauseObjects) || s.has(clauseRuntime)):
		access = "seq"
	case s.has(clauseObjects) && s.has(clauseRuntime) && known:
		access = fmt.Sprintf("range(%d..%d):seq", ctx.made-n+1, ctx.made)
		ctx.made, ctx.deleted = ctx.made-n, true
	case s.has(clauseObjects):
		access = fmt.Sprintf("range(%d..%d):seq", ctx.first, ctx.first+n-1)
		ctx.first += n
	case s.has(clauseRuntime):
		access, ctx.deleted = ctx.pick("shuffle"), true
	default:
		access, ctx.first, ctx.endless, ctx.deleted = ctx.pick("seq"), ctx.made+1, false, false
	}
	ph := c.Measure(c.label("delete"), draft.Op("delete", ctx.name, "access", access, "batch", "1"))
	c.load(s, ph, n)
	if s.has(clauseRuntime) {
		ph.Until.Time = draft.Duration(s.runtime)
	}
	if n > 0 {
		ph.Until.Ops = draft.Number(n)
	} else {
		ph.Until.Passes = script.Text("1")
	}
	if ctx.existing {
		draft.AddNote(&ph.Head, "The objects were not made by this run: they are deleted only with --force.")
	}
}

// Limits where the original has none.
const (
	MaxThreads = 256
	inflight   = 1000
)

// Unlimited is how many operations of a rate may be in flight where the original has no limit: what 10 seconds start.
func Unlimited(rate float64) int { return int(min(inflight, max(16, math.Ceil(10*rate)))) }

// load sets threads or rate; n is the number of operations, if known.
func (c *converter) load(s *statement, ph *script.Phase, n uint64) {
	highest := s.max
	if c.most > 0 && (highest == 0 || c.most < highest) {
		highest = c.most
	}
	switch {
	case s.has(clauseRate):
		ph.Load.Rate = Rate(s.rate, s.warmup, &ph.Head)
		if whole := math.Floor(s.rate); whole != s.rate {
			draft.AddNote(&ph.Head, "The original rounds the rate down to %.0f per second.", whole)
		}
		if highest == 0 {
			highest = Unlimited(s.rate)
			draft.AddNote(&ph.Head, "Approximated: the original has no limit of operations at a time.")
		}
		ph.Load.MaxInflight = draft.Number(highest)
	case highest > 0 && (s.has(clauseMax) || n == 0 || uint64(highest) < n):
		ph.Load.Threads = []script.Value{draft.Number(highest)}
	case s.has(clauseRuntime) && s.verb != "DELETE" && !s.has(clauseObjects):
		c.addf(s.at, "%s with RUNTIME alone is unlimited; add AT RATE or MAX n CONCURRENT", s.verb)
	default:
		threads := uint64(MaxThreads)
		if n > 0 {
			threads = min(n, threads)
		}
		ph.Load.Threads = []script.Value{draft.Number(threads)}
		draft.AddNote(&ph.Head, "Approximated: the original starts all operations at once.")
	}
}

// Rate is a rate whose warm-up begins at a third of it, as a bucket of permits that is cold: the interval between permits falls in
// proportion to the permits given, so that half of the full number is given in that time.
func Rate(rate float64, warmup time.Duration, head *string) []script.Value {
	if warmup == 0 {
		return script.Texts(draft.Decimal(rate))
	}
	at := func(x float64) string { return draft.Decimal(rate / math.Sqrt(9-8*x)) }
	var stages []string
	from := 0.0
	for _, to := range []float64{0.25, 0.5, 0.75, 0.875, 1} {
		length := time.Duration(float64(warmup) * (to - from)).Round(time.Millisecond)
		if length < time.Millisecond {
			return script.Texts(draft.Decimal(rate))
		}
		stages = append(stages, fmt.Sprintf("%s..%s/%s", at(from), at(to), draft.Duration(length).Text))
		from = to
	}
	draft.AddNote(head, "WARMUP: a rate that rises from a third to the full rate. As in the original, nothing is left out of the report.")
	return script.Texts(append(stages, draft.Decimal(rate))...)
}
