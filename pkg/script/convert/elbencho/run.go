package elbencho

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// run is the phases of a run, and what is in its buckets.
type run struct {
	*job
	buckets              []string
	threads, dirs, files int64 // of all hosts; each thread has dirs, each of these has files
	size, block          int64
	limit                time.Duration
	stored, deleted      bool // the run has made objects, or deleted all
	suffix               string
	option               string // of the phases that are added
}

// unixTime returns a time as --syncstart takes it.
func unixTime(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }

// maxObjects is how many objects a data set has at most.
const maxObjects = 1 << 50

func (j *job) newRun() *run {
	r := &run{
		job:     j,
		buckets: j.bucketsOf(),
		threads: max(1, j.whole("threads")),
		dirs:    j.whole("dirs"),
		files:   j.whole("files"),
		size:    j.size("size"),
		block:   j.size("block"),
		limit:   time.Duration(min(j.whole("timelimit"), 1<<32)) * time.Second,
	}
	hosts := names(j.text("hosts"))
	if n := j.whole("numhosts"); n > 0 && int(n) < len(hosts) {
		hosts = hosts[:n]
	}
	if len(hosts) > 0 {
		r.threads *= int64(len(hosts))
		j.Notef("The original runs on %s: this machine does everything, with the threads of all. "+
			"To share the work, start warp client on each and add --warp-client; keys then need {client}.", units.List(hosts, 8))
	}
	if r.block == 0 || r.block > r.size {
		r.block = max(1, r.size)
	}
	if r.files < 1 || float64(r.threads)*float64(max(1, r.dirs))*float64(r.files) > maxObjects {
		j.Addf(j.at("files"), "files: invalid value %q (want at least 1, and less objects)", j.text("files"))
	}
	return r
}

// objects returns the number of objects.
func (r *run) objects() int64 { return r.threads * max(1, r.dirs) * r.files }

var percents = regexp.MustCompile(`%{3,16}`)

// keys returns the template of keys: rRANK/dDIR/rRANK-fFILE.
func (r *run) keys() string {
	perThread := max(1, r.dirs) * r.files
	rank, dir, file := element(perThread, 0, r.whole("rankoffset")), element(r.files, max(1, r.dirs), 0), element(1, r.files, 0)
	prefix := draft.KeyText(r.text("s3objprefix"))
	prefix = percents.ReplaceAllStringFunc(prefix, func(p string) string { return fmt.Sprintf("{hash:%d}", len(p)) })
	name := "r" + rank + "-f" + file
	switch {
	case r.dirs == 0:
		return prefix + name
	case r.on("dirsharing"):
		return prefix + "r0/d" + dir + "/" + name
	}
	return prefix + "r" + rank + "/d" + dir + "/" + name
}

// element returns the number of an object, divided, with a remainder, and with a number added. It is 0 if that is always so.
func element(divisor, modulus, plus int64) string {
	if modulus == 1 {
		return "0"
	}
	e := "i"
	if divisor > 1 {
		e += fmt.Sprintf("/%d", divisor)
	}
	if modulus > 0 {
		e += fmt.Sprintf("%%%d", modulus)
	}
	if plus > 0 {
		e += fmt.Sprintf("+%d", plus)
	}
	return "{" + e + "}"
}

// dataSet says which objects there are.
func (r *run) dataSet() {
	set := r.Set("e")
	set.Pos = r.at("files")
	set.Objects = draft.Number(r.objects()).At(r.at("files"))
	set.Size = script.Text(units.ExactSize(r.size)).At(r.at("size"))
	set.Keys = script.Text(r.keys()).At(r.at("s3objprefix"))
	if len(r.buckets) > 1 {
		set.Buckets = draft.Number(len(r.buckets))
	}
	if p := r.whole("blockvarpct"); p < 100 {
		set.Content.Duplicate = script.Textf("%d%%", min(99, 100-p))
	}
	if !r.on("write") {
		set.Existing, set.Assume = draft.Yes(), script.Text("sizes")
		if percents.MatchString(r.text("s3objprefix")) {
			r.Addf(r.at("s3objprefix"), "s3objprefix=%s: random names of an earlier run are not known", r.text("s3objprefix"))
		}
		return
	}
	if !r.on("delfiles") && !r.on("s3multidel") {
		set.Keep = draft.Yes()
		draft.AddNote(&set.Head, "As in the original, objects stay in the bucket.")
	}
	if r.threads > 1 {
		draft.AddNote(&set.Head,
			"Approximated: in the original each thread goes through its own objects; here threads take the next object of all.")
	}
}

// maxIterations is how many iterations are written one after the other at most.
const maxIterations = 100

// iterations adds the phases of all iterations.
func (r *run) iterations() {
	if !r.on("write") && r.on("mkdirs") {
		r.bucketPhase("mkdirs", "create-bucket")
	}
	r.phases()
	n := r.whole("iterations")
	switch {
	case n <= 1:
	case r.stored && n > maxIterations:
		const text = "iterations=%d: each leaves objects for the next one, so that they are written one after the other (want at most %d)"
		r.Addf(r.at("iterations"), text, n, maxIterations)
	case r.stored:
		for i := int64(2); i <= n; i++ {
			r.suffix = "-" + strconv.FormatInt(i, 10)
			r.phases()
		}
	default:
		r.Phases = []script.Phase{{Repeat: draft.Number(n), Phases: r.Phases}}
		if r.on("write") {
			r.Notef("Approximated: names of objects go on in the second iteration where the first ended.")
		}
	}
	switch {
	case !r.on("deldirs"):
	case r.on("write"):
		r.Phases = append(r.Phases, script.Phase{Clean: script.Text("e"), Buckets: draft.Yes()})
	default:
		ph := r.bucketPhase("deldirs", "delete-bucket")
		draft.AddNote(&ph.Head, "The buckets were not made by this run: they are deleted only with --force.")
	}
	if r.limit > 0 && len(r.Phases) > 1 {
		r.Notef("Approximated: in the original a phase that meets the time limit is the last, with exit code 0; here the next phase follows.")
	}
}

// phases adds the phases of an iteration, in the fixed order of elbencho.
func (r *run) phases() {
	r.deleted = false
	for _, p := range []struct {
		option string
		add    func()
	}{
		{"write", r.write},
		{"s3otag", func() { r.each("objtag", draft.Op("tag", "e", "access", "seq")) }},
		{"stat", func() { r.each("stat", draft.Op("stat", "e", "access", "seq")) }},
		{"s3listobj", r.list},
		{"s3listobjpar", r.list},
		{"read", r.read},
		{"s3multidel", r.multiDelete},
		{"delfiles", func() { r.delete("delfiles", 1) }},
	} {
		if r.on(p.option) {
			r.option = p.option
			p.add()
		}
	}
	if r.on("mkdirs") && r.on("write") {
		r.Notef("mkdirs: buckets that are missing are made before the run, unmeasured.")
	}
}

// bucketPhase adds a phase that makes or deletes the buckets.
func (r *run) bucketPhase(label, operation string) *script.Phase {
	n := int64(max(1, len(r.buckets)))
	r.option = label
	set := r.Set("buckets")
	if n > 1 {
		set.Buckets = draft.Number(n)
	}
	ph := r.phase(label, draft.Op(operation, "buckets", "named-buckets", "true"), n)
	ph.Load.Threads = []script.Value{draft.Number(min(n, r.threads))}
	return ph
}

// phase adds a phase that does an operation a number of times; 0: as long as there is time.
func (r *run) phase(label string, do script.Do, ops int64) *script.Phase {
	if delay := r.whole("phasedelay"); delay > 0 && len(r.Phases) > 0 {
		r.Phases = append(r.Phases, script.Phase{Wait: draft.Duration(time.Duration(min(delay, 1<<32)) * time.Second)})
	}
	ph := r.Measure(label+r.suffix, do)
	ph.Pos = r.at(r.option)
	ph.Load.Threads = []script.Value{draft.Number(r.threads).At(r.at("threads"))}
	if ops > 0 {
		ph.Until.Ops = draft.Number(ops)
	}
	if r.limit > 0 {
		ph.Until.Time = draft.Duration(r.limit).At(r.at("timelimit"))
	}
	if ops == 0 && r.limit == 0 {
		ph.Until.Time = script.Text("0")
	}
	return ph
}

// each adds a phase that uses each object once, or over and over.
func (r *run) each(label string, do script.Do) *script.Phase {
	n := r.objects()
	if r.on("infloop") {
		n = 0
	}
	return r.phase(label, do, n)
}

// limited sets the rate of a phase: bytes per second of each thread.
func (r *run) limited(ph *script.Phase, option string, size int64) {
	limit := r.size64(option)
	if limit == 0 || size == 0 {
		return
	}
	rate := limit * float64(r.threads) / float64(size)
	ph.Load = script.Load{Rate: script.Texts(draft.Decimal(rate)), MaxInflight: draft.Number(r.threads)}
	const text = "Approximated: %s=%s: each thread of the original has its own limit; here all have one rate."
	draft.AddNote(&ph.Head, text, option, r.text(option))
}

func (r *run) size64(option string) float64 {
	if !r.on(option) {
		return 0
	}
	return float64(r.job.size(option))
}

// minPart is the size of parts that S3 demands.
const minPart = 5 << 20

// parts reports whether objects are transferred in parts, and returns their parameters.
func (r *run) parts() (params []string, ok bool) {
	if r.block >= r.size {
		return nil, false
	}
	return []string{"part.size", units.ExactSize(r.block), "part.concurrent", strconv.FormatInt(max(1, r.whole("iodepth")), 10)}, true
}

func (r *run) write() {
	params, inParts := r.parts()
	do := draft.Op("put", "e")
	again := r.stored || r.on("infloop")
	switch {
	case inParts && again:
		r.Addf(r.at("write"), "objects in parts can't be overwritten again and again (want delfiles, and no infloop)")
		return
	case inParts:
		do = draft.Op("multipart-put", "e", params...)
	case again:
		do.Overwrite = draft.Yes()
		do.Params = append(do.Params, script.NewParam("access", "seq"))
	}
	r.inline(&do, inParts)
	ph := r.each("write", do)
	if inParts && r.block < minPart {
		draft.AddNote(&ph.Head, "S3 refuses parts of less than 5 MiB, and so do most servers: set block to 5m or more.")
	}
	if again && !r.stored {
		draft.AddNote(&ph.Head, "Approximated: the objects are uploaded before, and overwritten here.")
	}
	r.limited(ph, "limitwrite", r.size)
	r.stored = true
}

// inline has objects looked at right after their upload.
func (r *run) inline(do *script.Do, inParts bool) {
	if (r.on("verifydirect") || r.on("readinline")) && !inParts {
		do.Params = append(do.Params, script.NewParam("verify", "true"))
	} else if r.on("verifydirect") || r.on("readinline") {
		r.Notef("Approximated: objects that are uploaded in parts are not read back at once.")
	}
	if !r.on("statinline") {
		return
	}
	if r.on("delfiles") || r.on("s3multidel") {
		r.Notef("Approximated: statinline is left out, since a phase deletes the objects.")
		return
	}
	do.Then = []script.Do{draft.Op("stat", "same")}
}

// maxPage is how many keys servers send in a page.
const maxPage = 1000

func (r *run) list() {
	most := r.whole("s3listobj")
	if most == 0 {
		most = r.objects()
	}
	size := min(maxPage, most)
	do, ops := draft.Op("list", "e", "max-keys", strconv.FormatInt(size, 10)), int64(max(1, len(r.buckets)))
	whole := most >= r.objects()
	if !whole && len(r.buckets) < 2 {
		do.Params = append(do.Params, script.NewParam("page", "true"))
		ops, whole = (most+size-1)/size, true
	}
	ph := r.phase("listobj", do, ops)
	ph.Load.Threads = []script.Value{draft.Number(1)}
	if !whole {
		draft.AddNote(&ph.Head, "Approximated: the original lists at most %d objects of each bucket; here a listing goes on to its end.", most)
	}
	if r.on("s3listobjpar") {
		draft.AddNote(&ph.Head, "Approximated: threads of the original share a listing; here one thread lists all.")
	}
}

func (r *run) read() {
	params, inParts := r.parts()
	access := "seq"
	if r.on("s3randobj") {
		access = "uniform"
	}
	do, ops, unit, note := draft.Op("get", "e", "access", access), r.objects(), r.size, ""
	blocks := (r.size + r.block - 1) / r.block
	switch {
	case inParts && (r.on("rand") || r.on("s3randobj")):
		form := "@aligned"
		if r.on("norandalign") {
			form = "@random"
		}
		do.Params = append(do.Params, script.NewParam("range", units.ExactSize(r.block)+form))
		ops, unit = ops*min(blocks, math.MaxInt64/ops), r.block
	case inParts:
		do.Params = append(do.Params, draft.Op("", "", params...).Params...)
		note = "block is less than size: objects are read in ranges, as in the original."
	}
	if r.on("verify") && r.known() {
		do.Params = append(do.Params, script.NewParam("verify", "true"))
	} else if r.on("verify") {
		r.Notef("Approximated: verify: only lengths are checked, since this run did not write the objects, or overwrites them.")
	}
	if r.on("infloop") {
		ops = 0
	}
	ph := r.phase("read", do, ops)
	ph.Head = note
	if amount := r.job.size("randamount"); amount > 0 {
		ph.Until.Ops, ph.Until.Bytes = script.Value{}, script.Text(units.ExactSize(amount))
	}
	r.limited(ph, "limitread", unit)
}

// known reports whether the contents of objects follow from the plan.
func (r *run) known() bool {
	return r.stored && !r.on("infloop") && (r.whole("iterations") <= 1 || r.on("delfiles") || r.on("s3multidel"))
}

// multiDelete deletes objects of the run alone.
func (r *run) multiDelete() {
	r.delete("multidel", min(1000, r.whole("s3multidel")))
	r.Notef("s3multidel: the original deletes whatever is in its buckets; here only objects of the data set are deleted.")
}

func (r *run) delete(label string, batch int64) {
	if r.deleted {
		r.Notef("delfiles after s3multidel: nothing is left to delete.")
		return
	}
	do := draft.Op("delete", "e", "access", "seq", "batch", strconv.FormatInt(batch, 10))
	ph := r.phase(label, do, r.objects())
	ph.Until.Ops, ph.Until.Passes = script.Value{}, script.Text("1")
	if !r.on("write") {
		draft.AddNote(&ph.Head, "The objects were not made by this run: they are deleted only with --force.")
	}
	r.stored, r.deleted = false, true
}
