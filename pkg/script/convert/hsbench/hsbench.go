// Package hsbench reads command lines of hsbench.
package hsbench

import (
	"flag"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	Prints:   "hsbench-log",
	Secrets:  []string{"a", "s"},
	Options:  func() []draft.Option { return append(draft.FlagOptions((&options{}).flags()), modes...) },
	Detect:   func(text string) bool { return shell.Runs(text, "hsbench") },
	Read:     func(d *draft.Draft, text string) { shell.Read(d, text, "hsbench", read) },
	Command:  read,
}

// modes lists the letters of -m.
var modes = draft.Rows([][3]string{
	{"-m c", "", "`run: BCLR`: deletes objects with names of this tool, each by a request; others' objects stay. " +
		"Objects of other runs need --force"},
	{"-m x", "", "`run: BDEL`: deletes the buckets that `i` made; in a run without `p`, the buckets of -b, with --force"},
	{"-m i", "", "`run: BINIT`: creates the buckets of -b, which stay; in a run with `p`, as many additional buckets"},
	{"-m p", "", "`run: PUT`; a second one overwrites the objects in order, in a later run too"},
	{"-m l", "", "`run: LIST`: an operation is a page of a random bucket"},
	{"-m g", "", "`run: GET`, at random"},
	{"-m d", "", "`run: DEL`, in order, one object per request. Objects of other runs need --force"},
})

// options is the options of hsbench.
type options struct {
	access, secret, url, region           string
	threads, buckets, loops, mk           int
	duration, first                       int
	objects                               int64
	size, bucketPrefix, prefix            string
	modes, csv, json, bucketList, storage string
	interval                              float64
	zero                                  bool
}

// flags returns its options; their usage says what became of them.
func (h *options) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("hsbench", flag.ContinueOnError)
	fs.StringVar(&h.access, "a", "", "--access-key of this run; credentials are never in a scenario")
	fs.StringVar(&h.secret, "s", "", "--secret-key of this run; credentials are never in a scenario")
	fs.StringVar(&h.url, "u", "", "`hosts` of the target; its default is AWS_HOST")
	fs.StringVar(&h.region, "r", "us-east-1", "`region` of the target")
	fs.IntVar(&h.threads, "t", 1, "`load`: threads")
	fs.IntVar(&h.duration, "d", 60, "`until: {time: ...}`; -1: no limit")
	fs.Int64Var(&h.objects, "n", -1, "`objects` of the data set; -1: as many as PUT makes in its time")
	fs.StringVar(&h.size, "z", "1M", "`size` of the data set; B, K, KB, KiB and so on, in any case, are powers of 1024")
	fs.IntVar(&h.buckets, "b", 1, "`buckets` of the data set")
	fs.StringVar(&h.bucketPrefix, "bp", "hotsauce-bench", "`bucket` of the target, before twelve digits")
	fs.StringVar(&h.prefix, "op", "", "first part of `keys`, before twelve digits")
	fs.StringVar(&h.modes, "m", "cxiplgdcx", "phases, see the letters below")
	fs.IntVar(&h.loops, "l", 1, "`repeat`; unrolled if a loop leaves objects")
	fs.IntVar(&h.mk, "mk", 1000, "`max-keys` of LIST; at most 1000, as servers send no more")
	fs.Float64Var(&h.interval, "ri", 1, "--analyze.dur of the run")
	fs.StringVar(&h.csv, "o", "", "the file is written at the end of a run; later: `warp analyze --format=hsbench`")
	fs.StringVar(&h.json, "j", "", "as -o, in JSON; later: `warp analyze --format=hsbench --json`")
	fs.StringVar(&h.bucketList, "bl", "", "`bucket` of the target: `{b=NAME|NAME}`")
	fs.IntVar(&h.first, "f", 0, "first number in `keys`")
	fs.StringVar(&h.storage, "cl", "", "`storage-class` of the target")
	fs.BoolVar(&h.zero, "zd", false, "`content: zero`")
	return fs
}

func read(d *draft.Draft, command *draft.Command) {
	h := &options{}
	set := command.Parse(h.flags(), &d.Problems)
	if len(d.List) > 0 {
		return
	}
	d.Place(command.At)
	c := &converter{Draft: d, options: h, set: set}
	c.check()
	c.target(command)
	c.dataSet()
	c.loop()
	c.existingSet()
	if !slices.ContainsFunc(c.Phases, func(ph script.Phase) bool { return ph.Names("o") }) {
		c.Data = slices.DeleteFunc(c.Data, func(s script.DataSet) bool { return s.Name == "o" })
	} else if c.stored && !c.existing {
		d.Set("o").Keep = draft.Yes()
		draft.AddNote(&d.Set("o").Head, "As in the original, objects stay in the bucket.")
	}
	d.Notef("Compare with care: the original leaves the time of the body out of the latency of GET, and counts bytes for deletions.")
	c.results()
}

// check reports options that cannot be used.
func (c *converter) check() {
	for _, n := range []struct {
		name  string
		value int
		least int
	}{{"t", c.threads, 1}, {"b", c.buckets, 1}, {"l", c.loops, 1}, {"mk", c.mk, 1}, {"f", c.first, 0}} {
		if n.value < n.least {
			c.Addf(c.set.At(n.name), "-%s %d (want at least %d)", n.name, n.value, n.least)
		}
	}
	if c.objects < 0 && c.duration < 0 {
		c.Addf(c.set.At("d"), "-n and -d are both without limit; the original refuses that too")
	}
	if math.IsNaN(c.interval) || c.interval > 1e6 {
		c.Addf(c.set.At("ri"), "-ri %g (want a number of seconds)", c.interval)
	}
}

// target says which store is measured, and with which keys.
func (c *converter) target(command *draft.Command) {
	if !c.set.Set("u") {
		c.url = command.Getenv("AWS_HOST")
	}
	if c.url != "" {
		c.SetHosts(c.set.At("u"), c.url)
		c.Target.Params = append(c.Target.Params, script.NewParam("lookup", "path"))
	}
	if strings.HasPrefix(c.url, "https://") {
		c.Target.Params = append(c.Target.Params, script.NewParam("insecure", "true"))
		draft.AddNote(&c.Target.Head, "As in the original, the host's certificate is not verified.")
	}
	c.Target.Region = c.set.Value("r", c.region)
	list := strings.Fields(c.bucketList)
	if len(list) > 0 {
		c.buckets = len(list)
	}
	switch {
	case len(list) == 1:
		c.Target.Bucket = c.set.Value("bl", draft.KeyText(list[0]))
	case len(list) > 1:
		c.Target.Bucket = c.set.Value("bl", "{b="+strings.Join(list, "|")+"}")
	case c.buckets == 1:
		c.Target.Bucket = c.set.Value("bp", draft.KeyText(c.bucketPrefix)+"000000000000")
	default:
		c.Target.Bucket = c.set.Value("bp", draft.KeyText(c.bucketPrefix)+"{b:012}")
	}
	if c.storage != "" {
		c.Target.Params = append(c.Target.Params, script.NewParam("storage-class", c.storage))
	}
	c.Secret(c.set.At("a"), "access-key", c.access)
	c.Secret(c.set.At("s"), "secret-key", c.secret)
}

// dataSet makes the data set.
func (c *converter) dataSet() {
	o := c.Set("o")
	o.Objects = draft.Number(max(c.objects, 0)).At(c.set.At("n"))
	number := "{i:012}"
	if c.first > 0 {
		number = fmt.Sprintf("{i+%d:012}", c.first)
	}
	o.Keys = c.set.Value("op", draft.KeyText(c.prefix)+number)
	if c.buckets > 1 {
		o.Buckets = draft.Number(c.buckets).At(c.set.At("b"))
		draft.AddNote(&o.Head, "Object i is in bucket i modulo %d, as in the original.", c.buckets)
	}
	if c.zero {
		o.Content.Kind = script.Text("zero")
	}
	n, err := sizeOf(c.size)
	if err != nil {
		c.Addf(c.set.At("z"), "-z %w", err)
		return
	}
	if strings.Trim(c.size, "0123456789") == "" {
		draft.AddNote(&o.Head, "-z %s has no unit, which some versions of the original refuse: bytes.", c.size)
	}
	o.Size = c.set.Value("z", units.ExactSize(n))
}

var sizeForm = regexp.MustCompile(`^([0-9]*\.?[0-9]+)(?:([KMGTPE]?)(?:I?B)?)$`)

// sizeOf parses a size as the original does: a number, fractions too, and a unit in any case.
func sizeOf(text string) (int64, error) {
	m := sizeForm.FindStringSubmatch(strings.ToUpper(text))
	if m == nil {
		return 0, fmt.Errorf("%q (want for example 4K, 1.5MB or 1GiB)", text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	n *= math.Exp2(float64(10 * (strings.Index("KMGTPE", m[2]) + len(m[2]))))
	if err != nil || n >= 1<<62 {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return int64(n), nil
}

// existingSet describes objects of other runs, whose names are known, and perhaps their number.
func (c *converter) existingSet() {
	if !c.existing {
		return
	}
	o := c.Set("o")
	o.Existing = draft.Yes()
	if c.objects > 0 || !c.clears {
		o.Assume = script.Text("names")
		draft.AddNote(&o.Head, "Made by another run: objects are used by their names, without a listing, as in the original.")
	}
}

// results adds what the original writes to files.
func (c *converter) results() {
	if c.interval > 0 && c.set.Set("ri") {
		c.Flag(c.set.At("ri"), "analyze.dur", draft.Duration(time.Duration(c.interval*float64(time.Second))).Text)
	}
	if c.csv != "" {
		c.Output(draft.Output{Format: "hsbench", Path: c.csv, At: c.set.At("o")})
	}
	if c.json != "" {
		c.Output(draft.Output{Format: "hsbench", JSON: true, Path: c.json, At: c.set.At("j")})
	}
}
