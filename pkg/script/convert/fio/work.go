package fio

import (
	"math"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// work is what a job does.
type work struct {
	values
	reads, writes, trims, random bool
	ranges                       bool     // of one object, instead of an object for each block
	files                        []string // with the bucket
	block                        int64    // of equal blocks; otherwise the mean
	sizes                        string   // of blocks that differ
	offset                       int64
	blocks                       int64 // of each file
	ops                          int64 // of all clones; 0: runtime alone
	passes                       bool  // it goes through its objects more than once
	shared                       bool  // another job uses them at the same time
	clones                       int64
	runtime                      time.Duration
	sets                         []string // data sets, of each file
}

// work reads a job; nil if it can't be converted.
func (s *scenario) work(sec section) *work {
	w := &work{values: values{s.Draft, sec}}
	before := len(s.List)
	s.Check(sec.values, options)
	if w.text("ioengine") != "http" {
		s.Addf(w.at("ioengine"), "ioengine=%s (want http)", w.text("ioengine"))
	}
	if mode := w.text("http_mode"); mode != "s3" {
		s.Addf(w.at("http_mode"), "http_mode=%s (want s3)", mode)
	}
	w.ranges = w.text("http_object_mode") == "range"
	w.runtime = w.duration("runtime", time.Second)
	w.clones = max(1, w.whole("numjobs"))
	w.direction()
	w.blockSize()
	w.filenames()
	if len(s.List) == before {
		w.amount()
	}
	w.checkTogether()
	if len(s.List) > before {
		return nil
	}
	return w
}

// directions are the values of rw: what a job reads, writes and trims.
var directions = map[string][3]bool{
	"read": {true}, "write": {false, true}, "trim": {false, false, true},
	"rw": {true, true}, "readwrite": {true, true},
}

func (w *work) direction() {
	mode, skip, skips := strings.Cut(w.text("rw"), ":")
	order, random := strings.CutPrefix(mode, "rand")
	d, ok := directions[order]
	if !ok {
		w.complain("rw", "read, write, trim, rw, or rand and one of these")
		return
	}
	w.reads, w.writes, w.trims, w.random = d[0], d[1], d[2], random && w.text("percentage_random") != "0"
	switch {
	case skips && !random:
		w.Addf(w.at("rw"), "rw=%s:%s leaves out blocks, whose objects can't be named (want rw=%s)", mode, skip, mode)
	case skips:
		w.Notef("Approximated: rw=%s:%s: each place is drawn by itself.", mode, skip)
	}
	if p := w.text("percentage_random"); p != "100" && p != "0" {
		w.Addf(w.at("percentage_random"), "percentage_random=%s: an order that is random in part can't be had (want 0 or 100)", p)
	}
	if w.ranges && w.reads && w.writes {
		w.Addf(w.at("rw"), "rw=%s: with http_object_mode=range a write replaces the object by one block, which reads then exceed", mode)
	}
}

// kind returns the place of the job in a list read,write,trim.
func (w *work) kind() int {
	switch {
	case w.writes:
		return 1
	case w.trims:
		return 2
	}
	return 0
}

// blockSize reads bs, bsrange and bssplit.
func (w *work) blockSize() {
	size := func(name, text string) int64 {
		n, ok := w.parseSize(text)
		if !ok || n < 1 {
			w.complain(name, "a size, as in 4k or 1m")
		}
		return max(1, n)
	}
	w.block = size("bs", part(w.text("bs"), w.kind()))
	if r := part(w.text("bsrange"), w.kind()); r != "" {
		low, high, _ := strings.Cut(r, "-")
		least, most := size("bsrange", low), size("bsrange", high)
		w.block, w.sizes = (least+most)/2, "uniform("+units.ExactSize(least)+","+units.ExactSize(most)+")"
	}
	if split := part(w.text("bssplit"), w.kind()); split != "" {
		var classes []string
		sum, shares := 0.0, 0.0
		for class := range strings.SplitSeq(split, ":") {
			length, share, _ := strings.Cut(class, "/")
			percent, err := strconv.ParseFloat(share, 64)
			if err != nil || percent < 0 || percent > 100 {
				w.complain("bssplit", "as in 4k/60:64k/40")
				return
			}
			n := size("bssplit", length)
			sum, shares = sum+float64(n)*percent, shares+percent
			if percent > 0 {
				classes = append(classes, units.ExactSize(n)+":"+draft.Decimal(percent))
			}
		}
		if shares == 0 {
			w.complain("bssplit", "as in 4k/60:64k/40")
			return
		}
		w.block, w.sizes = int64(max(1, sum/shares)), "choice("+strings.Join(classes, ",")+")"
	}
	if align := part(w.text("blockalign"), w.kind()); align != "" && size("blockalign", align) != w.block {
		w.Addf(w.at("blockalign"), "blockalign=%s (want bs: blocks follow one another)", w.text("blockalign"))
	}
	if w.sizes != "" && w.ranges {
		w.Addf(w.section.at, "ranges of several sizes can't be had (want bs)")
	}
}

// maxFiles is how many files a job may name.
const maxFiles = 100

// filenames reads the names of files.
func (w *work) filenames() {
	const colon = "\x00"
	directory := w.text("directory")
	for file := range strings.SplitSeq(strings.ReplaceAll(w.text("filename"), `\:`, colon), ":") {
		file = strings.ReplaceAll(file, colon, ":")
		if w.formatted() {
			file = w.text("filename_format")
		}
		if directory != "" {
			file = strings.TrimRight(directory, "/") + "/" + strings.TrimLeft(file, "/")
		}
		if !strings.HasPrefix(file, "/") {
			w.Addf(w.at("filename"), "filename: invalid value %q (want /BUCKET/KEY: other names are no URL in fio either)", file)
			return
		}
		if w.files = append(w.files, file); len(w.files) > maxFiles {
			w.Addf(w.at("filename"), "filename: too many files (want at most %d)", maxFiles)
			return
		}
	}
}

// formatted reports whether each clone has files of its own.
func (w *work) formatted() bool { return w.text("filename") == "" }

// perClone returns how many files of its own a clone has.
func (w *work) perClone() int64 {
	if !w.formatted() {
		return int64(len(w.files))
	}
	return max(1, w.whole("nrfiles"))
}

// amount reads how much a job does.
func (w *work) amount() {
	size := w.whole("size")
	if size == 0 {
		size = w.whole("filesize") * w.perClone()
	}
	if size == 0 {
		w.Addf(w.at("size"), "size is missing: it is the number of objects (want size=N, a multiple of bs)")
		return
	}
	total := w.whole("io_size")
	if total == 0 {
		total = size
	}
	w.offset = w.whole("offset")
	w.blocks = size / w.perClone() / w.block
	ops := total / w.block
	if n := w.whole("number_ios"); n > 0 {
		ops = min(ops, n)
	}
	loops := max(1, w.whole("loops"))
	if w.blocks < 1 || ops < 1 {
		w.Addf(w.at("size"), "size=%s has no block of %s for each file", w.text("size"), units.ExactSize(w.block))
		return
	}
	if !w.random && !w.ranges {
		w.blocks = min(w.blocks, (ops+w.perClone()-1)/w.perClone())
	}
	if ops > math.MaxInt64/loops/w.clones || w.blocks > math.MaxInt64/w.clones/w.perClone() {
		w.Addf(w.at("size"), "too many objects")
		return
	}
	w.ops = ops * loops * w.clones
	w.passes = w.ops > w.objects()
	if w.on("time_based") {
		w.ops, w.passes = 0, true
		if w.runtime == 0 {
			w.Addf(w.at("time_based"), "time_based without runtime has no end")
		}
	}
}

// apart reports whether clones have objects of their own.
func (w *work) apart() bool { return w.formatted() || w.whole("offset_increment") > 0 }

// objects returns the number of objects of all files.
func (w *work) objects() int64 {
	n := w.blocks * w.perClone()
	if w.apart() {
		n *= w.clones
	}
	return n
}

// checkTogether reports options that don't fit together.
func (w *work) checkTogether() {
	if inc := w.whole("offset_increment"); inc > 0 && (inc != w.blocks*w.block || w.formatted() || len(w.files) > 1) {
		const text = "offset_increment=%s (want size, for one file: clones then have objects one after the other)"
		w.Addf(w.at("offset_increment"), text, w.text("offset_increment"))
	}
	if w.clones > 1 && !w.apart() {
		w.Notef("Approximated: the %d clones of %s use the same names; each goes through them by itself, here they take turns.", w.clones, w.name)
	}
	if w.offset > 0 && w.ranges {
		w.Addf(w.at("offset"), "offset=%s: ranges begin with the object here", w.text("offset"))
	}
	if d := w.text("random_distribution"); d != "random" && !strings.HasPrefix(d, "zipf:") {
		w.Addf(w.at("random_distribution"), "random_distribution=%s can't be had (want random or zipf:THETA)", d)
	}
	switch w.text("file_service_type") {
	case "roundrobin", "random":
	default:
		w.Addf(w.at("file_service_type"), "file_service_type=%s can't be had (want roundrobin or random)", w.text("file_service_type"))
	}
}

// access returns the order of a job.
func (w *work) access() string {
	theta, zipf := strings.CutPrefix(w.text("random_distribution"), "zipf:")
	switch {
	case !w.random:
		return "seq"
	case zipf:
		return "zipf(" + theta + ")"
	case w.on("norandommap"):
		return "uniform"
	}
	return "shuffle"
}

// load returns how a job starts its operations.
func (w *work) load() (l script.Load) {
	rate := w.rate()
	if rate == 0 {
		l.Threads = []script.Value{draft.Number(w.clones)}
	} else {
		l.Rate, l.MaxInflight = script.Texts(draft.Decimal(rate)), draft.Number(w.clones)
		if w.text("rate_process") == "poisson" {
			l.Arrivals = script.Text("poisson")
		}
	}
	if think := w.duration("thinktime", time.Microsecond); think > 0 && rate == 0 {
		n := max(1, w.whole("thinktime_blocks"))
		if n > 1 {
			w.Notef("Approximated: thinktime of %s: a pause after %d operations is %d pauses here.", w.name, n, n)
		}
		l.Think = draft.Duration(think / time.Duration(n))
	}
	return l
}

// rate returns the operations per second of all clones; 0 without a limit.
func (w *work) rate() (sum float64) {
	for i, does := range []bool{w.reads, w.writes, w.trims} {
		if !does {
			continue
		}
		iops, ok := w.parseSize(part(w.text("rate_iops"), i))
		bytes, some := w.parseSize(part(w.text("rate"), i))
		switch {
		case w.text("rate_iops") != "" && !ok:
			w.complain("rate_iops", "a number")
		case w.text("rate") != "" && !some:
			w.complain("rate", "bytes, as in 10m")
		case ok:
			sum += float64(iops * w.clones)
		case some:
			sum += float64(bytes*w.clones) / float64(w.block)
		}
	}
	return sum
}

// until returns what ends a job.
func (w *work) until() (u script.Until) {
	if w.ops > 0 {
		u.Ops = draft.Number(w.ops)
	}
	if w.runtime > 0 {
		u.Time = draft.Duration(w.runtime)
	}
	figure, limit, steady := strings.Cut(w.text("steadystate"), ":")
	if steady {
		if figure != "iops" && figure != "bw" || !strings.HasSuffix(limit, "%") {
			w.complain("steadystate", "as in iops:5%")
			return u
		}
		if d := w.duration("steadystate_duration", time.Second); d > 0 {
			limit += "/" + draft.Duration(d).Text
		}
		u.Steady = script.Text(limit)
		w.Notef("Approximated: steadystate=%s: throughput is judged by warp's rule.", w.text("steadystate"))
	}
	return u
}
