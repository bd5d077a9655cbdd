package hsbench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// converter makes phases of the letters of -m, and keeps account of what is in the buckets.
type converter struct {
	*draft.Draft
	*options
	set      draft.Options
	stored   bool // objects are there
	existing bool // other runs made them
	clears   bool // c deletes objects of other runs
	made     bool // buckets are there that i made
}

// maxLoops is how many loops are unrolled at most.
const maxLoops = 100

// loop adds the phases of all loops.
func (c *converter) loop() {
	if c.loops < 1 {
		return
	}
	c.letters("")
	if c.loops == 1 {
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
	for at, letter := range c.modes {
		times[letter]++
		label := suffix
		if times[letter] > 1 {
			label = fmt.Sprintf("%s-%c", suffix, 'a'+rune(min(times[letter]-1, 25)))
		}
		rest := c.modes[at+1:]
		switch letter {
		case 'c':
			c.clear(c.unused("BCLR", suffix), rest)
		case 'x':
			c.deleteBuckets(c.unused("BDEL", suffix), rest)
		case 'i':
			c.makeBuckets(c.unused("BINIT", suffix), rest)
		case 'p':
			c.put("PUT" + label)
		case 'l':
			c.list("LIST" + label)
		case 'g':
			c.get("GET" + label)
		case 'd':
			c.delete("DEL" + label)
		default:
			c.errorf("unknown letter %q (want c, x, i, p, l, g or d)", letter)
		}
	}
}

// errorf adds an error about the letters.
func (c *converter) errorf(format string, args ...any) {
	c.Addf(c.set.At("m"), "-m %s: %w", c.modes, fmt.Errorf(format, args...))
}

// unused returns a label of a loop that no phase has yet.
func (c *converter) unused(mode, suffix string) string {
	label := mode + suffix
	for letter := 'b'; slices.ContainsFunc(c.Phases, func(ph script.Phase) bool { return ph.Run.Text == label }); letter++ {
		label = fmt.Sprintf("%s%s-%c", mode, suffix, letter)
	}
	return label
}

// puts reports whether this run makes objects, so that their buckets are made before its first phase.
func (c *converter) puts() bool { return strings.ContainsRune(c.modes, 'p') }

// makeBuckets measures how buckets are made: the buckets of the objects, unless the run itself needs them before.
func (c *converter) makeBuckets(label, rest string) {
	switch {
	case c.made:
		c.Notef("i again: the buckets are there, so nothing is left to make.")
	case c.puts() || strings.ContainsRune(rest, 'x'):
		c.bucketPhase(label, draft.Op("create-bucket", "o", "extra-buckets", strconv.Itoa(c.buckets)))
		c.Notef("i, x: these buckets hold nothing. Buckets of objects are made before the run, where it claims their names.")
	default:
		c.namedPhase(label, "create-bucket")
	}
	c.made = true
}

// deleteBuckets measures how they are deleted.
func (c *converter) deleteBuckets(label, rest string) {
	switch {
	case c.stored && !c.existing:
		c.errorf("x deletes buckets that still hold objects; put d or c before it")
	case c.made:
		c.bucketPhase(label, draft.Op("delete-bucket", "o", "extra-buckets", strconv.Itoa(c.buckets)))
	case strings.ContainsAny(rest, "ip"):
		c.Notef("x before i or p: deletes nothing here, since the run has created no buckets. The original deletes buckets with its names.")
	case c.puts():
		c.Notef("x without i: buckets that the run creates for its objects are deleted at its end, which is not measured.")
	default:
		c.namedPhase(label, "delete-bucket")
		draft.AddNote(&c.Phases[len(c.Phases)-1].Head, "The buckets were not made by this run: they are deleted only with --force.")
	}
	c.made = false
}

func (c *converter) bucketPhase(label string, op script.Do) {
	ph := c.Measure(label, op)
	ph.Load.Threads = []script.Value{draft.Number(min(c.threads, c.buckets))}
	ph.Until.Ops = draft.Number(c.buckets)
}

// namedPhase measures how the buckets of -b are made or deleted.
func (c *converter) namedPhase(label, operation string) {
	c.bucketPhase(label, draft.Op(operation, "buckets", "named-buckets", "true"))
	c.Set("buckets").Buckets = draft.Number(c.buckets)
}

// clear deletes objects with the names of this tool, which the run or other runs made.
func (c *converter) clear(label, rest string) {
	switch {
	case !c.stored && (c.puts() || strings.ContainsRune(rest, 'i')):
		c.Notef("c before i or p: deletes nothing here, since the run has made nothing. The original deletes all that is in its buckets.")
		return
	case !c.stored && len(c.Phases) > 0:
		c.Notef("c: there are no objects left to delete.")
		return
	}
	if !c.stored {
		c.existing, c.clears = true, true
	}
	ph := c.Measure(label, draft.Op("delete", "o", "access", "seq", "batch", "1"))
	ph.Load.Threads = []script.Value{draft.Number(c.threads).At(c.set.At("t"))}
	ph.Until.Passes = script.Text("1")
	if c.existing {
		draft.AddNote(&ph.Head, "Objects of other runs, with names of this tool, are deleted only with --force. "+
			"The original deletes all that is in its buckets.")
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
		ph.Until.Ops = draft.Number(c.objects)
	}
	if bounded {
		ph.Until.Passes = script.Text("1")
	}
	return ph
}

func (c *converter) put(label string) {
	if c.existing {
		c.errorf("p overwrites objects that g, l or d used before and that this run did not make; put p first")
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

// list measures pages of listings.
func (c *converter) list(label string) {
	if !c.stored && !c.puts() {
		c.existing, c.stored = true, true
	}
	ph := c.Measure(label, draft.Op("list", "o", "page", "true", "max-keys", strconv.Itoa(min(c.mk, 1000))))
	ph.Load.Threads = []script.Value{draft.Number(c.threads).At(c.set.At("t"))}
	if c.duration >= 0 {
		ph.Until.Time = draft.Duration(time.Duration(c.duration) * time.Second).At(c.set.At("d"))
		return
	}
	ph.Until.Ops = draft.Number(c.buckets)
	draft.AddNote(&ph.Head, "Approximated: -d has no limit, so that as many pages are listed as there are buckets.")
}

func (c *converter) get(label string) {
	if !c.needObjects("g") {
		return
	}
	access := "uniform"
	if c.duration < 0 {
		access = "seq" // each once
	}
	c.timed(c.Measure(label, draft.Op("get", "o", "access", access)), false)
}

// needObjects takes objects of other runs if this one has made none.
func (c *converter) needObjects(letter string) bool {
	switch {
	case c.stored && (!c.existing || c.objects > 0):
		return true
	case c.objects <= 0 && !c.puts():
		c.errorf("%s works on objects that are there already; set their number with -n", letter)
	case c.puts() || slices.ContainsFunc(c.Phases, deletes):
		c.errorf("%s has no objects: this run has not made any yet, or deleted them", letter)
	default:
		c.existing, c.stored = true, true
		return true
	}
	return false
}

// deletes reports whether a phase deletes objects.
func deletes(ph script.Phase) bool { return len(ph.Do) > 0 && ph.Do[0].Op == "delete" }

func (c *converter) delete(label string) {
	if !c.needObjects("d") {
		return
	}
	ph := c.timed(c.Measure(label, draft.Op("delete", "o", "access", "seq", "batch", "1")), true)
	if c.existing {
		draft.AddNote(&ph.Head, "The objects were not made by this run: they are deleted only with --force.")
	}
	c.stored = false
}
