package cosbench

import (
	"fmt"
	"slices"
	"strconv"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// dataSet is a data set: objects whose names have the same beginning and end.
type dataSet struct {
	name                    string
	at                      script.Pos // where it is named first
	cprefix, csuffix        string
	oprefix, osuffix        string
	firstBucket, lastBucket uint64
	objects                 uint64 // the greatest number of an object in a bucket
	sizes                   []sizes
	keep                    bool // not cleaned up
	verify, zero            bool
	ranges                  bool // of objects are read
	changes                 bool // objects are deleted, or added
}

// sizes are the sizes of some of the objects.
type sizes struct {
	text  string
	fixed bool
	count uint64 // of the objects
}

func (s *dataSet) buckets() uint64 { return s.lastBucket - s.firstBucket + 1 }

// existing reports whether the file makes no objects of the data set.
func (s *dataSet) existing() bool { return len(s.sizes) == 0 }

// of returns the data set of a configuration.
func (c *converter) of(e *element) *dataSet {
	config := e.config
	value := func(name, missing string) string {
		if text, ok := config[name]; ok {
			return text
		}
		return missing
	}
	key := dataSet{
		at:      e.at,
		cprefix: value("cprefix", "mycontainers"), csuffix: config["csuffix"],
		oprefix: value("oprefix", "myobjects"), osuffix: config["osuffix"],
	}
	for _, s := range c.sets {
		if s.cprefix == key.cprefix && s.csuffix == key.csuffix && s.oprefix == key.oprefix && s.osuffix == key.osuffix {
			return s
		}
	}
	key.name = "objects"
	if len(c.sets) > 0 {
		key.name += strconv.Itoa(len(c.sets) + 1)
	}
	c.sets = append(c.sets, &key)
	return &key
}

// collect finds out which buckets and objects there are, and how large they are.
func (c *converter) collect(e *element) {
	kind := e.attrs["type"]
	special := e.name == "work" && e.inner() == e && slices.Contains([]string{"prepare", "mprepare", "cleanup"}, kind)
	if e.name != "operation" && !special || kind == "init" || kind == "dispose" || kind == "delay" {
		return
	}
	s := c.of(e)
	if sel, ok := c.selector(e, "containers"); ok {
		if s.firstBucket == 0 || sel.first < s.firstBucket {
			s.firstBucket = sel.first
		}
		s.lastBucket = max(s.lastBucket, sel.closed())
	}
	objects, _ := c.selector(e, "objects")
	s.objects = max(s.objects, objects.closed())
	s.changes = s.changes || kind == "delete" && e.attrs["ratio"] != "0" || kind == "mwrite"
	s.verify = s.verify || draft.IsTrue(e.config["hashCheck"])
	s.zero = s.zero || e.config["content"] == "zero"
	if sel, ok := c.selector(e, "sizes"); ok && slices.Contains([]string{"prepare", "mprepare", "write", "mwrite"}, kind) {
		c.size(e, s, sel, max(1, objects.closed()-objects.first+1))
	}
}

// bound gives data sets their first and last bucket.
func (c *converter) bound() {
	for _, s := range c.sets {
		s.firstBucket = max(1, s.firstBucket)
		s.lastBucket = max(s.firstBucket, s.lastBucket)
		if s.objects > 1<<60/s.buckets() {
			c.Addf(s.at, "%d objects in each of %d containers are too many", s.objects, s.buckets())
		}
	}
}

// size adds the sizes of some objects.
func (c *converter) size(e *element, s *dataSet, sel selector, count uint64) {
	text, note, err := sel.sizes(c.fork)
	if err != nil {
		c.Addf(e.at, "sizes=%s: %w", e.config["sizes"], err)
		return
	}
	if note != "" {
		c.Notef("sizes=%s: %s", e.config["sizes"], note)
	}
	if !slices.ContainsFunc(s.sizes, func(known sizes) bool { return known.text == text }) {
		s.sizes = append(s.sizes, sizes{text, sel.form == 'c', count})
	}
	if len(s.sizes) > 1 && slices.ContainsFunc(s.sizes, func(known sizes) bool { return !known.fixed }) {
		c.Addf(e.at, "sizes=%s: other objects of the same names have %s; objects of a data set have the same distribution of sizes",
			e.config["sizes"], s.sizes[0].text)
	}
}

// dataSets writes the data sets.
func (c *converter) dataSets() {
	for _, s := range c.sets {
		used := func(ph script.Phase) bool { return ph.Names(s.name) }
		if !slices.ContainsFunc(c.Phases, used) {
			continue
		}
		c.dataSet(s)
		c.bucket(s)
	}
}

// dataSet writes a data set.
func (c *converter) dataSet(s *dataSet) {
	c.Place(s.at)
	set := c.Set(s.name)
	if s.objects == 0 {
		c.Addf(s.at, "the numbers of objects have no end (want objects=r(1,100), for example, in some operation or work)")
	}
	set.Objects = draft.Number(max(1, s.objects) * s.buckets()).At(s.at)
	number := "{counter}"
	if s.buckets() > 1 {
		number = "{bucket.counter}"
		set.Buckets = draft.Number(s.buckets()).At(s.at)
	}
	set.Keys = script.Text(draft.KeyText(s.oprefix) + number + draft.KeyText(s.osuffix)).At(s.at)
	if s.zero {
		set.Content.Kind = script.Text("zero")
	}
	switch len(s.sizes) {
	case 0:
		set.Existing = draft.Yes()
		if !s.ranges {
			set.Assume = script.Text("names")
		}
		return
	case 1:
		set.Size = script.Text(s.sizes[0].text).At(s.at)
	default:
		form := ""
		for _, one := range s.sizes {
			form += fmt.Sprintf(",%s:%d", one.text, one.count)
		}
		set.Size = script.Text("choice(" + form[1:] + ")").At(s.at)
		draft.AddNote(&set.Head, "Approximated: the sizes are mixed; in the original each range of objects has its own.")
	}
	if s.keep {
		set.Keep = draft.Yes()
	}
}

// bucket sets the buckets of the target.
func (c *converter) bucket(s *dataSet) {
	bucket := draft.KeyText(s.cprefix) + fmt.Sprintf("{b+%d}", s.firstBucket) + draft.KeyText(s.csuffix)
	if s.buckets() == 1 {
		bucket = draft.KeyText(fmt.Sprintf("%s%d%s", s.cprefix, s.firstBucket, s.csuffix))
	}
	switch c.Target.Bucket.Text {
	case "", bucket:
		c.Target.Bucket = script.Text(bucket).At(s.at)
	default:
		draft.AddNote(&c.Set(s.name).Head, "Approximated: the original has buckets of its own for these, %s%d%s and so on.",
			s.cprefix, s.firstBucket, s.csuffix)
	}
}
