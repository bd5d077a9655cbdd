package generator

// byteSet is a set of bytes.
type byteSet [4]uint64

func setOf(chars string) (s byteSet) {
	for i := range len(chars) {
		s[chars[i]/64] |= 1 << (chars[i] % 64)
	}
	return s
}

func (s *byteSet) intersects(o *byteSet) bool {
	return s[0]&o[0]|s[1]&o[1]|s[2]&o[2]|s[3]&o[3] != 0
}

// patternStep is what a key has at a place: one of a set of bytes, or any number of them.
type patternStep struct {
	set  byteSet
	many bool
}

var (
	decimalDigits = setOf("0123456789")
	hexDigits     = setOf("0123456789abcdef")
)

// patternOf returns a form that all keys of a template have.
func patternOf(t *template) (steps []patternStep) {
	text := func(s string) {
		for i := range len(s) {
			steps = append(steps, patternStep{set: setOf(s[i : i+1])})
		}
	}
	of := func(set byteSet, n int) {
		for range n {
			steps = append(steps, patternStep{set: set})
		}
	}
	for k := range t.elements {
		e := &t.elements[k]
		switch {
		case e.kind == literalText:
			text(e.literal)
		case e.variable():
			of(decimalDigits, e.number.Width)
			steps = append(steps, patternStep{decimalDigits, true})
		case e.kind == hashHex, e.kind == seedText:
			of(hexDigits, e.width)
		case e.kind == sha256Text:
			of(hexDigits, sha256Digits)
		case e.kind == depthDirs, e.kind == uuidText, e.kind == dateText:
			for _, c := range e.append(nil, &keySeeds{threads: 1, buckets: 1}, 0) {
				if isDigit(c) || c >= 'a' && c <= 'f' && e.kind != dateText {
					of(hexDigits, 1)
				} else {
					text(string(rune(c)))
				}
			}
		default:
			of(decimalDigits, e.fixed())
		}
	}
	return steps
}

// formsOverlap reports whether a key can have both forms.
func formsOverlap(a, b []patternStep) bool {
	seen := map[[2]int]bool{}
	var from func(i, j int) bool
	from = func(i, j int) bool {
		at := [2]int{i, j}
		switch {
		case seen[at]:
			return false
		case i == len(a) && j == len(b):
			return true
		}
		seen[at] = true
		if i < len(a) && a[i].many && from(i+1, j) || j < len(b) && b[j].many && from(i, j+1) {
			return true
		}
		if i == len(a) || j == len(b) || !a[i].set.intersects(&b[j].set) {
			return false
		}
		if !a[i].many {
			i++
		}
		if !b[j].many {
			j++
		}
		return from(i, j)
	}
	return from(0, 0)
}

// FormsOverlap reports whether two data sets can have the same key. Invalid forms are assumed to overlap; keys without a form follow from
// seeds, and do not overlap.
func FormsOverlap(one, two string) bool {
	if one == "" || two == "" {
		return false
	}
	a, err := parseTemplate(one)
	b, err2 := parseTemplate(two)
	return err != nil || err2 != nil || formsOverlap(patternOf(a), patternOf(b))
}
