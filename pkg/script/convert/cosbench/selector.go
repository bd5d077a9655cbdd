package cosbench

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// selector is one of the forms c(n), u(a,b), r(a,b), a-b, s(a,b) and h(a|b|weight,...), with a unit for sizes.
type selector struct {
	form        byte
	first, last uint64
	open        bool   // it has no end but the largest number
	parts       []span // of h
	unit        string
}

// span is a part of a histogram.
type span struct{ first, last, weight uint64 }

// largest is the last number of a selector without an end.
const largest = 1<<31 - 1

// closed returns the last number, 0 if there is no end.
func (s *selector) closed() uint64 {
	if s.open {
		return 0
	}
	return s.last
}

// spans returns the parts of h, or the one part of another form.
func (s *selector) spans() []span {
	if len(s.parts) > 0 {
		return s.parts
	}
	return []span{{s.first, s.last, 1}}
}

// weight returns the sum of the weights of the parts.
func (s *selector) weight() (sum float64) {
	for _, p := range s.spans() {
		sum += float64(p.weight)
	}
	return sum
}

// covers reports whether all numbers from first to last are as likely, or in turn.
func (s *selector) covers(first, last uint64) bool {
	return len(s.spans()) == 1 && s.first <= first && s.last >= last
}

// selector returns a selector of the configuration, if it is there. Where there are no objects, COSBench saves r(0,0).
func (c *converter) selector(e *element, key string) (s selector, ok bool) {
	text := e.config[key]
	if text == "" {
		return s, false
	}
	s, err := parseSelector(text)
	switch {
	case err != nil:
		c.Addf(e.at, "%s: %w", key, err)
	case key != "sizes" && s.first == 0 && s.last == 0:
		return selector{}, false
	case key != "sizes" && s.first < 1:
		c.Addf(e.at, "%s=%s: numbers begin at 1", key, text)
	}
	return s, err == nil
}

// parseSelector parses a selector.
func parseSelector(text string) (s selector, err error) {
	wrong := fmt.Errorf("invalid selector %q (want c(n), u(a,b), r(a,b), a-b, s(a,b) or h(a|b|weight,...))", text)
	name, rest, ok := strings.Cut(strings.TrimSpace(text), "(")
	args, unit, closed := strings.Cut(rest, ")")
	if first, last, dash := strings.Cut(name, "-"); dash && !ok {
		name, args, ok, closed = "r", first+","+last, true, true
	}
	if !ok || !closed || len(name) != 1 || !strings.Contains("cursh", name) {
		return s, wrong
	}
	s.form, s.unit = name[0], strings.TrimSpace(unit)
	list := strings.Split(args, ",")
	if s.form == 'h' {
		if err := s.histogram(list); err != nil {
			return s, wrong
		}
		return s, nil
	}
	n, err := numbers(list)
	switch {
	case err != nil, len(n) > 2, len(n) == 1 && s.form != 'c' && s.form != 'u':
		return s, wrong
	case s.form == 'c': // a second number counts for nothing
		n = []uint64{n[0], n[0]}
	case len(n) == 1:
		n, s.open = append(n, largest), true
	}
	s.first, s.last = n[0], n[1]
	if s.first > s.last {
		return s, wrong
	}
	return s, nil
}

// histogram parses the parts of h, in their order.
func (s *selector) histogram(list []string) error {
	total := uint64(0)
	for _, part := range list {
		texts := strings.Split(part, "|")
		if len(texts) == 3 && strings.TrimSpace(texts[1]) == "" {
			texts[1], s.open = strconv.Itoa(largest), true
		}
		n, err := numbers(texts)
		if err != nil {
			return err
		}
		if len(n) != 3 || n[0] > n[1] {
			return errors.New("no part of a histogram")
		}
		s.parts = append(s.parts, span{n[0], n[1], n[2]})
		total += n[2]
	}
	slices.SortStableFunc(s.parts, func(a, b span) int { return int(a.first) - int(b.first) })
	s.first, s.last = s.parts[0].first, s.parts[0].last
	for _, p := range s.parts {
		s.last = max(s.last, p.last)
	}
	if total == 0 {
		return errors.New("all weights are 0")
	}
	return nil
}

func numbers(texts []string) (list []uint64, err error) {
	for _, t := range texts {
		n, err := strconv.ParseUint(strings.TrimSpace(t), 10, 40)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// unitOf returns the bytes of a unit, and a note about one that means something else than it seems. COSBench looks at the end of the text.
func unitOf(unit string, fork bool) (bytes uint64, note string, err error) {
	switch {
	case fork && unit == "KiB":
		return 1 << 10, "", nil
	case fork && unit == "MiB":
		return 1 << 20, "", nil
	case fork && unit == "GiB":
		return 1 << 30, "", nil
	case strings.HasSuffix(unit, "GB"):
		return 1e9, "", nil
	case strings.HasSuffix(unit, "MB"):
		return 1e6, "", nil
	case strings.HasSuffix(unit, "KB"):
		return 1e3, "", nil
	case unit == "B":
		return 1, "", nil
	case strings.HasSuffix(unit, "B"):
		return 1, unit + " is bytes in COSBench, since it ends in B; only the fork of sine-io knows KiB, MiB and GiB.", nil
	}
	return 0, "", fmt.Errorf("unknown unit %q (want B, KB, MB or GB, in capitals)", unit)
}

// sizes returns sizes as a scenario writes them, and what is not as it seems.
func (s *selector) sizes(fork bool) (text, note string, err error) {
	unit, note, err := unitOf(s.unit, fork)
	if err != nil {
		return "", "", err
	}
	if s.last > 1<<62/unit {
		return "", "", fmt.Errorf("size of %d %s is too large", s.last, s.unit)
	}
	switch {
	case s.form == 'c' || s.first == s.last:
		return size(s.first * unit), note, nil
	case s.form == 'r' || s.form == 's':
		note += "Approximated: sizes follow one another in the original; here they are random."
		fallthrough
	case s.form == 'u':
		return "uniform(" + size(s.first*unit) + "," + size(s.last*unit) + ")", note, nil
	}
	return s.histogramOfSizes(unit, note)
}

// histogramOfSizes writes the parts of h. Between them nothing is drawn.
func (s *selector) histogramOfSizes(unit uint64, note string) (text, _ string, err error) {
	end := uint64(0)
	for _, p := range s.parts {
		if p.first*unit > end {
			text += fmt.Sprintf(",%s:0", size(p.first*unit))
		} else if p.first*unit+unit < end {
			return "", "", errors.New("parts of h() must not overlap")
		}
		end = max(p.last*unit, p.first*unit+1)
		text += fmt.Sprintf(",%s:%d", size(end), p.weight)
	}
	return "hist(" + text[1:] + ")", note, nil
}
