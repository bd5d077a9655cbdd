package s3bench

import (
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// seagate is the options of Seagate's s3bench, which runs one test after the other, with sizes that have a unit.
type seagate struct {
	endpoint, region, access, secret     string
	bucket, prefix, objectSize, partSize string
	clients, samples, reads, tags        int
	deleteAtOnce, deleteClients, copies  int
	skipWrite, skipRead, skipCleanup     bool
	head, putTags, getTags, validate     bool
	zero, deleteOnly, verbose            bool
}

// flags returns its options that other dialects lack, and those that they share.
func (b *seagate) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("s3bench", flag.ContinueOnError)
	fs.StringVar(&b.endpoint, "endpoint", "", "")
	fs.StringVar(&b.region, "region", "igneous-test", "")
	fs.StringVar(&b.access, "accessKey", "", "")
	fs.StringVar(&b.secret, "accessSecret", "", "")
	fs.StringVar(&b.bucket, "bucket", "bucketname", "")
	fs.StringVar(&b.prefix, "objectNamePrefix", "loadgen_test", "")
	fs.StringVar(&b.objectSize, "objectSize", "80Mb", "")
	fs.StringVar(&b.partSize, "multipartSize", "0b", "`part.size` of write and read")
	fs.IntVar(&b.clients, "numClients", 40, "")
	fs.IntVar(&b.samples, "numSamples", 200, "")
	fs.IntVar(&b.reads, "sampleReads", 1, "how often read uses each object")
	fs.IntVar(&b.tags, "numTags", 10, "nothing: objects get one tag")
	fs.IntVar(&b.deleteAtOnce, "deleteAtOnce", 1000, "`batch` of -deleteOnly")
	fs.IntVar(&b.deleteClients, "deleteClients", 1, "`load` of -deleteOnly: threads")
	fs.IntVar(&b.copies, "copies", 0, "refused, unless 0")
	fs.BoolVar(&b.skipWrite, "skipWrite", false, "objects of an earlier run are used")
	fs.BoolVar(&b.skipRead, "skipRead", false, "no phase `read`")
	fs.BoolVar(&b.skipCleanup, "skipCleanup", false, "")
	fs.BoolVar(&b.head, "headObj", false, "phase `head`: operation `stat`")
	fs.BoolVar(&b.putTags, "putObjTag", false, "phase `tags`: operation `tag`")
	fs.BoolVar(&b.getTags, "getObjTag", false, "phase `tags`: operation `tag`")
	fs.BoolVar(&b.validate, "validate", false, "`verify` of the data set")
	fs.BoolVar(&b.zero, "zero", false, "`content: zero`")
	fs.BoolVar(&b.deleteOnly, "deleteOnly", false, "phase `delete`, of objects of an earlier run: with --force")
	for _, name := range []string{"profile", "o", "t", "label", "reportFormat"} {
		fs.String(name, "", "nothing: the report follows from the recording; keys come from AWS's files")
	}
	for _, name := range []string{
		"protocolDebug", "s3MaxRetries", "s3Disable100Continue", "httpClientTimeout", "connectTimeout", "TLSHandshakeTimeout",
		"maxIdleConnsPerHost", "idleConnTimeout", "responseHeaderTimeout",
	} {
		fs.String(name, "", "nothing: it changes no load")
	}
	fs.BoolVar(&b.verbose, "verbose", false, "")
	fs.Bool("skipBucketCreate", false, "")
	return fs
}

// seagateOptions are the options that only Seagate's s3bench has.
func seagateOptions() (list []draft.Option) {
	for _, o := range draft.FlagOptions((&seagate{}).flags()) {
		if o.Became != "" {
			list = append(list, o)
		}
	}
	return list
}

var unitSize = regexp.MustCompile(`^([0-9]+)(b|Kb|Mb|Gb)$`)

// isSeagate reports whether a command line is one of Seagate's s3bench, by options that only it has, or a size with a unit.
func isSeagate(c *draft.Command) bool {
	own := map[string]bool{}
	for _, o := range seagateOptions() {
		own[o.Name] = true
	}
	for i, a := range c.Args {
		name, value, assigned := strings.Cut("-"+strings.TrimLeft(a.Text, "-"), "=")
		if !assigned && i+1 < len(c.Args) {
			value = c.Args[i+1].Text
		}
		if strings.HasPrefix(a.Text, "-") && (own[name] || name == "-objectSize" && unitSize.MatchString(value)) {
			return true
		}
	}
	return false
}

// bytesOf returns a size with a unit of powers of 1024.
func bytesOf(text string) (int64, error) {
	m := unitSize.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q (want a number with b, Kb, Mb or Gb)", text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	shift := map[string]int{"b": 0, "Kb": 10, "Mb": 20, "Gb": 30}[m[2]]
	if err != nil || n > 1<<62>>shift {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return n << shift, nil
}

func readSeagate(d *draft.Draft, command *draft.Command) {
	b := &seagate{}
	set := command.Parse(b.flags(), &d.Problems)
	if len(d.List) > 0 {
		return
	}
	size, err := bytesOf(b.objectSize)
	if err != nil || size < 1 {
		d.Addf(set.At("objectSize"), "-objectSize %q (want a number above 0 with b, Kb, Mb or Gb)", b.objectSize)
	}
	part, err := bytesOf(b.partSize)
	if err != nil {
		d.Addf(set.At("multipartSize"), "-multipartSize %w", err)
	}
	b.check(d, set)
	d.Place(command.At)
	setTarget(d, set, b.endpoint, b.region, b.bucket)
	s := d.Set("s")
	s.Objects, s.Size = draft.Number(b.samples).At(set.At("numSamples")), set.Value("objectSize", units.ExactSize(size))
	s.Keys = set.Value("objectNamePrefix", draft.KeyText(b.prefix)+"_{i}")
	draft.AddNote(&s.Head, "Approximated: the original has a hash of the contents between prefix and number.")
	if b.zero {
		s.Content.Kind = script.Text("zero")
	}
	if b.validate {
		s.Verify = draft.Yes()
	}
	switch {
	case b.skipWrite || b.deleteOnly:
		s.Existing, s.Assume = draft.Yes(), script.Text("sizes")
	case b.skipCleanup:
		s.Keep = draft.Yes()
	}
	b.phases(d, part)
	finish(d, set, b.access, b.secret, b.verbose)
}

func (b *seagate) check(d *draft.Draft, set draft.Options) {
	for _, o := range []struct {
		name  string
		value int
	}{{"numClients", b.clients}, {"numSamples", b.samples}, {"sampleReads", b.reads}, {"deleteClients", b.deleteClients}} {
		if o.value < 1 {
			d.Addf(set.At(o.name), "-%s %d (want at least 1)", o.name, o.value)
		}
	}
	if b.clients > b.samples {
		d.Addf(set.At("numClients"), "-numClients %d is more than -numSamples %d, which the original refuses too", b.clients, b.samples)
	}
	if b.copies > 0 {
		d.Addf(set.At("copies"), "-copies cannot be converted; use the operation copy in a scenario")
	}
	if b.skipWrite && b.validate {
		d.Addf(set.At("validate"), "-validate of objects that this run did not make: their contents are not known")
	}
}

// phases adds one phase for each test.
func (b *seagate) phases(d *draft.Draft, part int64) {
	var parts []string
	put := "put"
	if part > 0 {
		put, parts = "multipart-put", []string{"part.size", units.ExactSize(part), "part.concurrent", "1"}
	}
	add := func(label string, threads, turns int, op script.Do) {
		ph := d.Measure(label, op)
		ph.Load.Threads = []script.Value{draft.Number(threads)}
		ph.Until.Ops = draft.Number(turns)
	}
	if b.deleteOnly {
		op := draft.Op("delete", "s", "access", "seq", "batch", strconv.Itoa(min(max(1, b.deleteAtOnce), 1000)))
		ph := d.Measure("delete", op)
		ph.Load.Threads, ph.Until.Passes = []script.Value{draft.Number(b.deleteClients)}, script.Text("1")
		draft.AddNote(&ph.Head, "Objects that this run did not make are deleted only with --force.")
		return
	}
	if !b.skipWrite {
		add("write", b.clients, b.samples, draft.Op(put, "s", parts...))
	}
	if b.putTags || b.getTags {
		add("tags", b.clients, b.samples, draft.Op("tag", "s", "access", "seq"))
	}
	if b.head {
		add("head", b.clients, b.samples, draft.Op("stat", "s", "access", "seq"))
	}
	if !b.skipRead {
		add("read", b.clients, b.samples*b.reads, draft.Op("get", "s", append([]string{"access", "seq"}, parts...)...))
	}
}
