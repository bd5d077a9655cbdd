// Package hsbench reads command lines of hsbench.
package hsbench

import (
	"flag"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/shell"
	"warp/pkg/units"
)

// Source reads the files and command lines of the tool.
var Source = draft.Source{
	Name: "hsbench", Title: "hsbench", File: "a command line of hsbench",
	Programs: []string{"hsbench"},
	Secrets:  []string{"a", "s"},
	Options:  func() []draft.Option { return append(draft.FlagOptions((&options{}).flags()), modes...) },
	Detect:   func(text string) bool { return shell.Runs(text, "hsbench") },
	Read: func(d *draft.Draft, text string) {
		if c := shell.Find(text, "hsbench", &d.Problems); c != nil {
			read(d, c)
		}
	},
	Command: read,
}

// modes lists the letters of -m.
var modes = draft.Rows([][3]string{
	{"-m c", "", "`run: BCLR`: deletes what the run made, and nothing else, 1000 objects per request"},
	{"-m x", "", "`run: BDEL`: deletes the buckets that `i` made"},
	{"-m i", "", "`run: BINIT`: creates as many additional buckets"},
	{"-m p", "", "`run: PUT`; a second one overwrites the objects in order"},
	{"-m l", "", "`run: LIST`"},
	{"-m g", "", "`run: GET`, at random"},
	{"-m d", "", "`run: DEL`, in order, one object per request"},
})

// options is the options of hsbench.
type options struct {
	access, secret, url, region     string
	threads, buckets, loops, mk     int
	duration, first                 int
	objects                         int64
	size, bucketPrefix, prefix      string
	modes, csv, json, list, storage string
	interval                        float64
	zero                            bool
}

// flags returns its options; their usage says what became of them.
func (h *options) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("hsbench", flag.ContinueOnError)
	fs.StringVar(&h.access, "a", "", "nothing: credentials are never in a scenario")
	fs.StringVar(&h.secret, "s", "", "nothing: credentials are never in a scenario")
	fs.StringVar(&h.url, "u", "", "`hosts` of the target")
	fs.StringVar(&h.region, "r", "us-east-1", "`region` of the target")
	fs.IntVar(&h.threads, "t", 1, "`load`: threads")
	fs.IntVar(&h.duration, "d", 60, "`until: {time: ...}`; -1: no limit")
	fs.Int64Var(&h.objects, "n", -1, "`objects` of the data set; -1: as many as PUT makes in its time")
	fs.StringVar(&h.size, "z", "1M", "`size` of the data set; K, M and G are powers of 1024")
	fs.IntVar(&h.buckets, "b", 1, "`buckets` of the data set")
	fs.StringVar(&h.bucketPrefix, "bp", "hotsauce-bench", "`bucket` of the target; names of several buckets end otherwise")
	fs.StringVar(&h.prefix, "op", "", "first part of `keys`, before twelve digits")
	fs.StringVar(&h.modes, "m", "cxiplgdcx", "phases, see the letters below")
	fs.IntVar(&h.loops, "l", 1, "`repeat`; unrolled if a loop leaves objects")
	fs.IntVar(&h.mk, "mk", 1000, "`max-keys` of LIST; at most 1000, as servers send no more")
	fs.Float64Var(&h.interval, "ri", 1, "a flag of the command: --analyze.dur")
	fs.StringVar(&h.csv, "o", "", "the file is written at the end of a run; later: `warp analyze --format=hsbench`")
	fs.StringVar(&h.json, "j", "", "as -o, in JSON; later: `warp analyze --format=hsbench --json`")
	fs.StringVar(&h.list, "bl", "", "refused: buckets follow from one name")
	fs.IntVar(&h.first, "f", 0, "refused, unless 0: objects are numbered from 0")
	fs.StringVar(&h.storage, "cl", "", "`storage-class` of the target")
	fs.BoolVar(&h.zero, "zd", false, "`content: zero`")
	return fs
}

// converter makes phases of the letters of -m, and keeps account of what is in the buckets.
type converter struct {
	*draft.Draft
	*options
	set      draft.Options
	count    int64 // of objects; -1: as many as PUT has time for
	stored   bool  // objects are there
	existing bool  // they were there before
	made     bool  // buckets are there that i made
}

func read(d *draft.Draft, command *draft.Command) {
	h := &options{}
	set := command.Parse(h.flags(), &d.Problems)
	if len(d.List) > 0 {
		return
	}
	d.Place(command.At)
	c := &converter{Draft: d, options: h, set: set, count: h.objects}
	c.check()
	size := c.dataSet()
	c.loop()
	if c.stored && !c.existing {
		d.Set("o").Keep = draft.Yes()
		draft.AddNote(&d.Set("o").Head, "As in the original, objects stay in the bucket.")
	}
	if c.existing {
		d.Set("o").Existing = draft.Yes()
	}
	d.Set("o").Size = set.Value("z", size)
	d.Notef("Compare with care: the original leaves the time of the body out of the latency of GET, and counts bytes for deletions.")
	if set.Set("ri") && h.interval > 0 && h.interval <= 1e6 {
		d.Flag(set.At("ri"), "analyze.dur", decimalSeconds(h.interval))
	}
	if h.csv != "" {
		d.Output(draft.Output{Format: "hsbench", Path: h.csv, At: set.At("o")})
	}
	if h.json != "" {
		d.Output(draft.Output{Format: "hsbench", JSON: true, Path: h.json, At: set.At("j")})
	}
}

func decimalSeconds(s float64) string {
	return draft.Duration(time.Duration(s * float64(time.Second))).Text
}

// check reports options that cannot be used.
func (c *converter) check() {
	set := c.set
	for _, n := range []struct {
		name  string
		value int
	}{{"-t", c.threads}, {"-b", c.buckets}, {"-l", c.loops}, {"-mk", c.mk}} {
		if n.value < 1 {
			c.Addf(set.At(n.name[1:]), "%s %d (want at least 1)", n.name, n.value)
		}
	}
	if c.objects < 0 && c.duration < 0 {
		c.Addf(c.set.At("n"), "-n and -d are both without limit; the original refuses that too")
	}
	if c.list != "" {
		c.Addf(c.set.At("bl"), "-bl: buckets cannot be listed; the names of several buckets follow from that of one")
	}
	if c.first != 0 {
		c.Addf(c.set.At("f"), "-f %d: objects are numbered from 0", c.first)
	}
	if math.IsNaN(c.interval) || c.interval > 1e6 {
		c.Addf(c.set.At("ri"), "-ri %g (want a number of seconds)", c.interval)
	}
	if set.Set("u") {
		c.SetHosts(set.At("u"), c.url)
	}
	c.Secret(set.At("a"), "access-key", c.access)
	c.Secret(set.At("s"), "secret-key", c.secret)
	c.Target.Region = set.Value("r", c.region)
	c.Target.Bucket = set.Value("bp", c.bucketPrefix+"000000000000")
	if c.storage != "" {
		c.Target.Params = append(c.Target.Params, script.NewParam("storage-class", c.storage))
	}
}

var sizeForm = regexp.MustCompile(`^([0-9]+)([KMG]?)$`)

// dataSet makes the data set, and returns the size of its objects.
func (c *converter) dataSet() string {
	o := c.Set("o")
	o.Objects = draft.Number(max(c.objects, 0)).At(c.set.At("n"))
	o.Keys = c.set.Value("op", draft.KeyText(c.prefix)+"{i:012}")
	if c.buckets > 1 {
		o.Buckets = draft.Number(c.buckets).At(c.set.At("b"))
		draft.AddNote(&o.Head, "Object i is in bucket i modulo %d, as in the original.", c.buckets)
	}
	if c.zero {
		o.Content.Kind = script.Text("zero")
	}
	m := sizeForm.FindStringSubmatch(c.size)
	if m == nil {
		c.Addf(c.set.At("z"), "-z %q (want for example 4096, 4K, 1M or 1G)", c.size)
		return ""
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	shift := map[string]int{"": 0, "K": 10, "M": 20, "G": 30}[m[2]]
	if err != nil || n > math.MaxInt64>>shift {
		c.Addf(c.set.At("z"), "-z %q is too large", c.size)
	}
	return units.ExactSize(n << shift)
}

// maxLoops is how many loops are unrolled at most.
const maxLoops = 100

// loop adds the phases of all loops.
func (c *converter) loop() {
	if c.loops < 1 {
		return
	}
	c.letters("")
	if c.loops == 1 || len(c.list) > 0 {
		return
	}
	if !c.stored && !c.made {
		c.Phases = []script.Phase{{Repeat: draft.Number(c.loops), Phases: c.Phases}}
		return
	}
	if c.loops > maxLoops {
		c.Addf(c.set.At("l"),
			"-l %d: each loop leaves objects or buckets for the next one, so that loops are written one after the other (want at most %d)",
			c.loops, maxLoops)
		return
	}
	for i := 2; i <= c.loops; i++ {
		c.letters(fmt.Sprintf("-%d", i))
	}
}

// letters adds the phases of one loop.
func (c *converter) letters(suffix string) {
	times := map[rune]int{}
	for _, letter := range c.modes {
		times[letter]++
		label := suffix
		if times[letter] > 1 {
			label = fmt.Sprintf("%s-%c", suffix, 'a'+rune(min(times[letter]-1, 25)))
		}
		switch letter {
		case 'c':
			c.clear(c.unused("BCLR", suffix))
		case 'x':
			c.emptyBuckets(c.unused("BDEL", suffix))
			if c.stored && !c.existing {
				c.Addf(c.set.At("m"), "-m %s: x deletes buckets that still hold objects; put d or c before it", c.modes)
			}
		case 'i':
			c.makeBuckets(c.unused("BINIT", suffix))
		case 'p':
			c.put("PUT" + label)
		case 'l':
			ph := c.timed(c.Measure("LIST"+label, draft.Op("list", "o", "max-keys", strconv.Itoa(min(c.mk, 1000)))), true)
			ph.Until.Passes, ph.Until.Ops = script.Value{}, draft.Number(c.buckets) // each listing has all pages
		case 'g':
			c.get("GET" + label)
		case 'd':
			c.delete("DEL" + label)
		default:
			c.Addf(c.set.At("m"), "-m %q: unknown letter %q (want c, x, i, p, l, g or d)", c.modes, letter)
		}
	}
}

// unused returns a label of a loop that no phase has yet.
func (c *converter) unused(mode, suffix string) string {
	label := mode + suffix
	for letter := 'b'; slices.ContainsFunc(c.Phases, func(ph script.Phase) bool { return ph.Run.Text == label }); letter++ {
		label = fmt.Sprintf("%s%s-%c", mode, suffix, letter)
	}
	return label
}

// makeBuckets measures how buckets are made. The buckets of the objects exist by then, since the run claims its names in them.
func (c *converter) makeBuckets(label string) {
	if c.made {
		c.Notef("i again: the buckets are there, so nothing is left to make.")
		return
	}
	c.bucketPhase(label, "create-bucket")
	c.Notef("i, x: these buckets hold nothing. The objects are in buckets that are made before the run, where it claims their names.")
	c.made = true
}

// emptyBuckets measures how they are deleted.
func (c *converter) emptyBuckets(label string) {
	if !c.made {
		c.Notef("x before i: deletes nothing here, since the run has created no buckets. The original deletes any bucket with one of its names.")
		return
	}
	c.bucketPhase(label, "delete-bucket")
	c.made = false
}

func (c *converter) bucketPhase(label, operation string) {
	ph := c.Measure(label, draft.Op(operation, "o", "extra-buckets", strconv.Itoa(c.buckets)))
	ph.Load.Threads = []script.Value{draft.Number(min(c.threads, c.buckets))}
	ph.Until.Ops = draft.Number(c.buckets)
}

func (c *converter) clear(label string) {
	switch {
	case c.existing:
		c.Addf(c.set.At("m"), "-m %s: c would delete objects that this run did not make", c.modes)
	case c.stored:
		ph := c.Measure(label, draft.Op("delete", "o", "access", "seq", "batch", "1000"))
		ph.Load.Threads = []script.Value{draft.Number(c.threads)}
		ph.Until.Passes = script.Text("1")
		c.Notef("c: only what the run made is deleted. An operation is a request for 1000 objects; the original counts one for each bucket.")
	default:
		c.Notef("c before p: deletes nothing here, since the run has made nothing. The original deletes all that is in its buckets.")
	}
	c.stored = false
}

// timed sets threads and the end of a phase; bounded: it ends with its objects.
func (c *converter) timed(ph *script.Phase, bounded bool) *script.Phase {
	ph.Load.Threads = []script.Value{draft.Number(c.threads).At(c.set.At("t"))}
	switch {
	case c.duration >= 0:
		ph.Until.Time = draft.Duration(time.Duration(c.duration) * time.Second).At(c.set.At("d"))
	case !bounded:
		c.Addf(c.set.At("m"), "-m %s: %s has no end; set -d", c.modes, ph.Run.Text)
	}
	if bounded {
		ph.Until.Passes = script.Text("1")
	}
	return ph
}

func (c *converter) put(label string) {
	if c.existing {
		c.Addf(c.set.At("m"), "-m %s: p overwrites objects that g read before and that this run did not make; put p first", c.modes)
		return
	}
	if !c.stored {
		ph := c.timed(c.Measure(label, draft.Op("put", "o")), c.objects >= 0)
		if c.objects >= 0 {
			ph.Until.Passes = script.Value{}
			ph.Until.Ops = draft.Number(c.objects)
		}
	} else {
		c.timed(c.Measure(label, draft.Op("put", "o", "overwrite", "true", "access", "seq")), true)
	}
	c.stored = true
}

func (c *converter) get(label string) {
	if !c.stored && !c.needExisting("g") {
		return
	}
	c.timed(c.Measure(label, draft.Op("get", "o", "access", "uniform")), false)
}

// needExisting takes objects that were in the buckets before.
func (c *converter) needExisting(letter string) bool {
	switch {
	case len(c.Phases) > 0:
		c.Addf(c.set.At("m"), "-m %s: %s has no objects left", c.modes, letter)
	case c.objects < 0:
		c.Addf(c.set.At("m"), "-m %s: %s works on objects that are there already; set their number with -n", c.modes, letter)
	default:
		c.existing, c.stored = true, true
		return true
	}
	return false
}

func (c *converter) delete(label string) {
	if !c.stored && !c.needExisting("d") {
		return
	}
	ph := c.timed(c.Measure(label, draft.Op("delete", "o", "access", "seq", "batch", "1")), true)
	if c.existing {
		draft.AddNote(&ph.Head, "The objects were not made by this run: they are deleted only with --force.")
	}
	c.stored = false
}
