// Package s3bench reads command lines of s3bench.
package s3bench

import (
	"flag"
	"strconv"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/script/convert/shell"
	"warp/pkg/units"
)

// Source reads the files and command lines of the tool.
var Source = draft.Source{
	Name: "s3bench", Title: "s3bench", File: "a command line of s3bench",
	Programs: []string{"s3bench"},
	Prints:   "s3bench",
	Secrets:  []string{"accessKey", "accessSecret"},
	Options:  func() []draft.Option { return append(draft.FlagOptions((&options{}).flags()), seagateOptions()...) },
	Detect:   func(text string) bool { return shell.Runs(text, "s3bench") },
	Read:     func(d *draft.Draft, text string) { shell.Read(d, text, "s3bench", read) },
	Command:  read,
}

// options is the options of s3bench.
type options struct {
	endpoint, region, access, secret        string
	operations, bucket, prefix              string
	multipart, skipCleanup, skipCreate      bool
	verbose, noMD5, random                  bool
	partSize, objectSize, rangeSize         int64
	uploaders, requests, clients, batchSize int
	samples, chunk                          int
	profile                                 string
	first                                   bool // the first s3bench, of Igneous
}

// flags returns its options; their usage says what became of them.
func (b *options) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("s3bench", flag.ContinueOnError)
	fs.StringVar(&b.endpoint, "endpoint", "", "`hosts` of the target; each thread keeps to one of them")
	fs.StringVar(&b.region, "region", "vast-west", "`region` of the target")
	fs.StringVar(&b.access, "accessKey", "", "--access-key of this run; credentials are never in a scenario")
	fs.StringVar(&b.secret, "accessSecret", "", "--secret-key of this run; credentials are never in a scenario")
	fs.StringVar(&b.operations, "operations", "write", "phases: `write`, `read`, both, or `ranges`")
	fs.BoolVar(&b.multipart, "multipart", false, "operations `multipart-put` and `get` with part.size")
	fs.Int64Var(&b.partSize, "partSize", 500<<20, "`part.size`")
	fs.IntVar(&b.uploaders, "multiUploaders", 5, "`part.concurrent`")
	fs.StringVar(&b.bucket, "bucket", "bucketname", "`bucket` of the target")
	fs.StringVar(&b.prefix, "objectNamePrefix", "HOST_loadgen_test/", "first part of `keys`; HOST is the machine's name")
	fs.Int64Var(&b.objectSize, "objectSize", 80<<20, "`size` of the data set")
	fs.Int64Var(&b.rangeSize, "rangeSize", 1024, "`range-size` of the operation `get`")
	fs.IntVar(&b.requests, "numRequests", 10240, "`until: {ops: ...}` of ranges")
	fs.IntVar(&b.clients, "numClients", 40, "`load`: threads")
	fs.IntVar(&b.batchSize, "batchSize", 1000, "directories of `keys`")
	fs.IntVar(&b.samples, "numSamples", 200, "`objects` of the data set")
	fs.BoolVar(&b.skipCleanup, "skipCleanup", false, "`keep` of the data set")
	fs.BoolVar(&b.skipCreate, "skipBucketCreate", false, "nothing: the bucket is made only if it is missing")
	fs.BoolVar(&b.verbose, "verbose", false, "--analyze.v of the run: its result has a line for each request")
	fs.BoolVar(&b.noMD5, "disableMD5", true, "`md5: true` of the target if false")
	fs.StringVar(&b.profile, "cpuprofile", "", "nothing: profiles of the client are not a part of a scenario")
	fs.BoolVar(&b.random, "moreRando", false, "nothing: contents of all objects differ, and do not repeat")
	fs.IntVar(&b.chunk, "chunkSize", 31<<10, "nothing: contents of all objects differ, and do not repeat")
	return fs
}

// Limits of S3, which the original has too.
const (
	minPart  = 5 << 20
	maxParts = 10_000
)

func read(d *draft.Draft, command *draft.Command) {
	if isSeagate(command) {
		readSeagate(d, command)
		return
	}
	b := &options{}
	set := command.Parse(b.flags(), &d.Problems)
	if len(d.List) > 0 {
		return
	}
	d.Place(command.At)
	b.dialect(d, set)
	b.check(d, set)
	b.target(d, set)
	b.dataSet(d, set)
	write, read := b.operations == "write" || b.operations == "both", b.operations == "read" || b.operations == "both"
	n := draft.Number(b.samples).At(set.At("numSamples"))
	if write {
		b.phase(d, "write", "Each object once, in random order in the original; in order here.", b.whole("put", "multipart-put")).Until.Ops = n
	}
	if read && b.first {
		b.phase(d, "read", "", draft.Op("get", "s", "access", "seq")).Until.Ops = n
	} else if read {
		b.phase(d, "read", "", b.whole("get", "get", "access", "shuffle")).Until.Ops = n
	}
	if b.operations == "ranges" {
		op := draft.Op("get", "s", "access", "uniform", "range-size", units.ExactSize(b.rangeSize))
		b.phase(d, "ranges", "", op).Until.Ops = draft.Number(b.requests).At(set.At("numRequests"))
	}
	finish(d, set, b.access, b.secret, b.verbose)
}

// firstRegion is the default region of the first s3bench, and of no other store.
const firstRegion = "igneous-test"

// dialect finds out which s3bench is meant: the first one lacks many options, and has no option that others lack.
func (b *options) dialect(d *draft.Draft, set draft.Options) {
	for _, name := range []string{
		"operations", "batchSize", "rangeSize", "numRequests", "multipart", "partSize", "multiUploaders", "skipBucketCreate", "disableMD5",
		"moreRando",
	} {
		if set.Set(name) {
			return
		}
	}
	if b.region != firstRegion {
		d.Notef("Read as andypern's s3bench, which writes unless -operations says more. The first s3bench (-region %s) reads too.", firstRegion)
		return
	}
	b.first, b.operations = true, "both"
	if !set.Set("objectNamePrefix") {
		b.prefix = "loadgen_test_"
	}
}

// finish adds what all dialects have: keys, the report, and a note.
func finish(d *draft.Draft, set draft.Options, access, secret string, verbose bool) {
	d.Secret(set.At("accessKey"), "access-key", access)
	d.Secret(set.At("accessSecret"), "secret-key", secret)
	d.Notef("Failed operations have their latency here and are counted; " +
		"the original leaves them out of its percentiles, and hides retries in them.")
	d.Output(draft.Output{Format: "s3bench", Path: "-"})
	if verbose {
		d.Flag(set.At("verbose"), "analyze.v", "true")
	}
}

// check reports options that cannot be used.
func (b *options) check(d *draft.Draft, set draft.Options) {
	switch b.operations {
	case "write", "read", "both", "ranges":
	default:
		d.Addf(set.At("operations"), "-operations %q (want write, read, both or ranges)", b.operations)
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"numClients", int64(b.clients)},
		{"numSamples", int64(b.samples)},
		{"batchSize", int64(b.batchSize)},
		{"objectSize", b.objectSize},
		{"numRequests", int64(b.requests)},
		{"multiUploaders", int64(b.uploaders)},
		{"rangeSize", b.rangeSize},
	} {
		if n.value < 1 {
			d.Addf(set.At(n.name), "-%s %d (want at least 1)", n.name, n.value)
		}
	}
	if b.operations != "ranges" && b.clients > b.samples {
		d.Addf(set.At("numClients"), "-numClients %d is more than -numSamples %d, which the original refuses too", b.clients, b.samples)
	}
	if b.operations == "ranges" && b.rangeSize > b.objectSize {
		d.Addf(set.At("rangeSize"), "-rangeSize %d is more than -objectSize %d", b.rangeSize, b.objectSize)
	}
	if b.multipart && b.partSize < minPart {
		d.Addf(set.At("partSize"), "-partSize %d (want at least %d)", b.partSize, minPart)
	} else if b.multipart && b.objectSize/b.partSize >= maxParts {
		d.Addf(set.At("partSize"), "-partSize %d makes more than %d parts", b.partSize, maxParts)
	}
	if set.Set("objectNamePrefix") && strings.HasPrefix(b.prefix+"/", "/") {
		d.Addf(set.At("objectNamePrefix"), "-objectNamePrefix %q: keys would begin with a slash, which few servers keep", b.prefix)
	}
}

// target says which store is measured.
func (b *options) target(d *draft.Draft, set draft.Options) {
	setTarget(d, set, b.endpoint, b.region, b.bucket)
	if !b.noMD5 {
		d.Target.Params = append(d.Target.Params, script.NewParam("md5", "true"))
	}
	if set.Set("cpuprofile") {
		d.Notef("-cpuprofile has no place in a scenario.")
	}
}

// setTarget sets hosts, region and bucket. As in the original, a thread keeps to one host.
func setTarget(d *draft.Draft, set draft.Options, endpoint, region, bucket string) {
	d.SetHosts(set.At("endpoint"), strings.Split(endpoint, ",")...)
	d.Target.Region = set.Value("region", region)
	d.Target.Bucket = set.Value("bucket", draft.KeyText(bucket))
	if len(d.Target.Hosts) > 1 {
		d.Target.Params = append(d.Target.Params, script.NewParam("host-select", "thread"))
	}
}

// dataSet says which objects there are.
func (b *options) dataSet(d *draft.Draft, set draft.Options) {
	s := d.Set("s")
	s.Objects = draft.Number(b.samples).At(set.At("numSamples"))
	s.Size = set.Value("objectSize", units.ExactSize(b.objectSize))
	prefix := draft.KeyText(b.prefix)
	if b.first {
		s.Keys = set.Value("objectNamePrefix", prefix+"{i}")
		if b.skipCleanup {
			s.Keep = draft.Yes()
		}
		return
	}
	if !set.Set("objectNamePrefix") {
		prefix = "{hostname}_loadgen_test/"
	}
	if strings.HasSuffix(prefix, "/") {
		draft.AddNote(&s.Head, "As in the original, keys have an empty part behind the prefix (prefix//0/1), which some servers drop or refuse; "+
			"-objectNamePrefix without a slash at its end avoids it.")
	}
	n := strconv.Itoa(b.batchSize)
	s.Keys = set.Value("objectNamePrefix", prefix+"/{i/"+n+"}/{i%"+n+"}")
	switch {
	case b.operations == "read" || b.operations == "ranges":
		s.Existing, s.Assume = draft.Yes(), script.Text("sizes")
		if !b.skipCleanup {
			draft.AddNote(&s.Head, "The original deletes the objects and the bucket after this; here objects that the run did not make stay.")
		}
		draft.AddNote(&s.Head, "As in the original, missing objects and other lengths are errors of their operations.")
	case b.skipCleanup:
		s.Keep = draft.Yes()
	}
}

// whole is an operation on whole objects, or on their parts if the original is told so.
func (b *options) whole(op, multipart string, params ...string) script.Do {
	if !b.multipart {
		return draft.Op(op, "s", params...)
	}
	return draft.Op(multipart, "s", append(params, "part.size", units.ExactSize(b.partSize), "part.concurrent", strconv.Itoa(b.uploaders))...)
}

// phase adds a measured phase.
func (b *options) phase(d *draft.Draft, label, note string, op script.Do) *script.Phase {
	ph := d.Measure(label, op)
	if note != "" {
		ph.Head = note
	}
	ph.Load.Threads = []script.Value{draft.Number(b.clients)}
	return ph
}
