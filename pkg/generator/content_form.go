package generator

import (
	"strings"

	"warp/internal/option"
	"warp/pkg/units"
)

// contentForms is the text forms of contents, for usage texts and errors.
const contentForms = "random, zero, compressible=30%, duplicate=10%, duplicate=10%/64KiB, compressible=30%,duplicate=10% or file(PATH)"

// contentForm is the parsed form of Spec.Generator. The zero value is random.
type contentForm struct {
	zero         bool
	path         string  // of a file or directory whose contents are used; empty: none
	compressible float64 // percent of each block
	duplicate    float64 // percent of the blocks
	block        int64   // bytes of a block that is duplicated; 0: blockBytes
}

// random reports whether nothing repeats or compresses.
func (c *contentForm) random() bool { return *c == contentForm{} }

// parseContents parses one of contentForms; empty is random.
func parseContents(text string) (c contentForm, err error) {
	rest, file := strings.CutPrefix(strings.TrimSpace(text), "file(")
	switch path, closed := strings.CutSuffix(rest, ")"); {
	case file && (!closed || path == ""):
		return c, option.Invalid("obj.content", text, "file(PATH), of a file or a directory")
	case file:
		return contentForm{path: path}, nil
	case rest == "", rest == "random":
		return c, nil
	case rest == "zero":
		return contentForm{zero: true}, nil
	}
	given := map[string]bool{}
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		of := map[string]*float64{"compressible": &c.compressible, "duplicate": &c.duplicate}[name]
		if of == nil || given[name] {
			return contentForm{}, option.Invalid("obj.content", text, contentForms)
		}
		given[name] = true
		if name == "duplicate" {
			if value, c.block, err = parseBlock(value); err != nil {
				return contentForm{}, err
			}
		}
		if *of, err = parsePercent(strings.TrimSpace(value)); err != nil {
			return contentForm{}, option.Errorf("obj.content", "%s: %w", name, err)
		}
	}
	return c, nil
}

// maxDuplicate is the largest block that is duplicated.
const maxDuplicate = 4 << 20

// parseBlock cuts the size of a block off a share of duplicates, as in 10%/64KiB; 0: there is none, or it is blockBytes.
func parseBlock(text string) (share string, block int64, err error) {
	share, size, given := strings.Cut(text, "/")
	if !given {
		return text, 0, nil
	}
	block, err = units.ParseSize(size)
	if err != nil || block < blockBytes || block > maxDuplicate || block%blockBytes != 0 {
		return "", 0, option.Errorf("obj.content", "duplicate: invalid block %q (want a multiple of 4KiB, at most 4MiB)",
			units.Truncate(size, 40))
	}
	if block == blockBytes {
		block = 0
	}
	return share, block, nil
}

// checkContents returns an error for contents that cannot be made, from a source.
func checkContents(text string, source Source) error {
	c, err := parseContents(text)
	if err == nil && c.path != "" && source.SHA256 == "" {
		err = option.Errorf("obj.content", "%s: the file was not read", text)
	}
	return err
}
