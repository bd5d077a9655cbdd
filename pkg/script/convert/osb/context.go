package osb

import (
	"fmt"
	"strings"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
	"warp/pkg/units"
)

// context is an object-context: a data set, and what is in it after the statements so far.
type context struct {
	name     string
	made     uint64 // number of objects that were named so far
	first    uint64 // of those that are still there, from 1
	endless  bool   // more objects than known: a PUT ended by time
	deleted  bool   // in random order: it is not known which are left
	existing bool
	random   bool
	seed     string
	sizes    []sized
	timed    bool // a PUT ends by time, perhaps before it has made all of its objects
}

// sized is objects of a size, in order.
type sized struct {
	objects uint64
	size    int64
}

// add adds objects of a size.
func (c *context) add(objects uint64, size int64) {
	if last := len(c.sizes) - 1; last >= 0 && c.sizes[last].size == size {
		c.sizes[last].objects += objects
		return
	}
	c.sizes = append(c.sizes, sized{objects, size})
}

// sizeText returns the sizes of all objects; empty if they exist.
func (c *context) sizeText() string {
	var parts []string
	for _, s := range c.sizes {
		parts = append(parts, fmt.Sprintf("%s:%d", units.ExactSize(s.size), max(1, s.objects)))
	}
	if len(parts) > 1 {
		return "sequence(" + strings.Join(parts, ",") + ")"
	}
	for _, s := range c.sizes {
		return units.ExactSize(s.size)
	}
	return units.ExactSize(1 << 20)
}

// ConstantPrefix is the first part of names of the strategy CONSTANT PREFIX: the hash of nothing.
const ConstantPrefix = "/object-store-bench-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// keys returns the template of the names that object-store-bench gives its objects; without a seed, each run has its own.
func keys(random bool, context, seed string) string {
	context, seed = draft.KeyText(context), draft.KeyText(seed)
	if seed == "" {
		seed = runSeed
	}
	if random {
		return "/" + seed + "/" + context + "/{sha256}/object"
	}
	return ConstantPrefix + "/" + context + "/{sha256}/object-" + seed
}

// runSeed is the element of keys that differs in each run.
const runSeed = "{seed}"

// left returns how many objects are there, as far as it is known.
func (c *context) left() uint64 { return c.made + 1 - c.first }

// pick limits an access pattern to the objects that are there, if others were.
func (c *context) pick(pattern string) string {
	if c.first == 1 || c.endless || c.deleted {
		return pattern
	}
	return fmt.Sprintf("range(%d..%d):%s", c.first, c.made, pattern)
}

// finish writes what is known about a context at the end of the script.
func (c *context) finish(d *draft.Draft) {
	set := d.Set(c.name)
	set.Objects = draft.Number(c.made)
	if c.endless {
		set.Objects = script.Text("0")
	}
	set.Size = script.Text(c.sizeText())
	set.Keys = script.Text(keys(c.random, c.name, c.seed))
	if naming := Naming(set.Keys.Text); c.seed != "" {
		draft.AddNote(&set.Head, "Naming strategy '%s' uses seed %q", naming, c.seed)
	} else {
		draft.AddNote(&set.Head, "Naming strategy '%s' uses another seed in each run, which its report states; it follows from --seed.", naming)
	}
	if c.existing {
		set.Existing = draft.Yes()
	} else if c.deleted || c.endless || c.left() > 0 {
		set.Keep = draft.Yes()
		draft.AddNote(&set.Head, "As in the original, objects stay in the bucket.")
	}
}
