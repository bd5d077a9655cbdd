package generator

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Access says the order of use of a data set's objects. The zero value is Shuffle, with an order of its own for each client. Its
// text form, in JSON too, is what ParseAccess reads.
type Access struct {
	Pattern     string
	First, Last uint64  // range of objects, counted from 1; 0: all
	Group       Group   // of a range: the places that are used
	Theta       float64 // exponent of zipf and latest
	Hot         float64 // share of the objects that are hot, in percent; of exponential: the newest
	Share       float64 // share of the turns that use them, in percent
	Shift       float64 // how far the hot objects move on each minute, in percent of all objects
}

// Group is the places From to To, counted from 1, of each Of objects; 0: all. If objects are spread over buckets, these are some of
// the buckets. The range consists of whole groups.
type Group struct{ From, To, Of uint64 }

// Patterns of access.
const (
	Independent = "uniform"   // any object in any turn
	InSequence  = "seq"       // one after the other, over and over
	Shuffle     = "shuffle"   // each once in random order, then all again in another order
	Zipf        = "zipf"      // the object of rank r with probability proportional to r^-theta
	YCSBZipf    = "ycsb-zipf" // as the scrambled zipfian generator of YCSB
	HotSet      = "hot"       // a share of the turns use a share of the objects
	Latest      = "latest"    // zipf, and the newest object has rank 1
	Oldest      = "oldest"    // each once, the oldest first

	Exponential = "exponential" // the newer, the likelier: a share of the turns use a share of the objects
)

// accessForms is the text forms of Access, for usage texts and errors.
const accessForms = "uniform, seq, shuffle, zipf(0.99), ycsb-zipf, hot(10%,90%), hot(10%,90%,shift=1%/min), latest(0.99), " +
	"exponential(80%,95%), oldest or range(1..50):PATTERN"

const (
	defaultTheta = 0.99 // of YCSB
	maxTheta     = 100
)

// ParseAccess parses one of accessForms.
func ParseAccess(text string) (Access, error) {
	var a Access
	rest := strings.TrimSpace(text)
	if span, ok := strings.CutPrefix(rest, "range("); ok {
		var err error
		if rest, err = a.parseRange(span); err != nil || rest == "" {
			return a, err
		}
	}
	c, err := parseCall(rest)
	if err != nil {
		return a, err
	}
	a.Pattern = c.name
	switch a.Pattern {
	case Independent, InSequence, Shuffle, YCSBZipf, Oldest:
		if c.args != nil {
			err = fmt.Errorf("%s has no arguments", c.name)
		}
	case Zipf, Latest:
		err = a.parseTheta(c)
	case HotSet:
		err = a.parseHot(c)
	case Exponential:
		err = a.parseExponential(c)
	default:
		err = fmt.Errorf("unknown pattern %q (want %s)", c.name, accessForms)
	}
	return a, err
}

// parseRange parses what follows the opening parenthesis of a range, and returns what follows the range.
func (a *Access) parseRange(text string) (rest string, err error) {
	span, rest, _ := strings.Cut(text, ")")
	span, group, grouped := strings.Cut(span, ",")
	a.First, a.Last, err = parseSpan(span)
	if grouped {
		places, of, _ := strings.Cut(group, " of ")
		var bad error
		if a.Group.From, a.Group.To, bad = parseSpan(places); bad == nil {
			a.Group.Of, bad = strconv.ParseUint(strings.TrimSpace(of), 10, 62)
		}
		if g := a.Group; bad != nil || g.Of < g.To || (a.First-1)%g.Of > 0 || a.Last%g.Of > 0 {
			return "", fmt.Errorf("invalid range %q (want whole groups, and places in each, as in range(1..640,33..64 of 64))", "range("+text)
		}
	}
	pattern, more := strings.CutPrefix(strings.TrimSpace(rest), ":")
	if err != nil || !more && pattern != "" || more && strings.TrimSpace(pattern) == "" {
		return "", fmt.Errorf("invalid range %q (want range(FIRST..LAST), counted from 1, or range(FIRST..LAST):PATTERN)", "range("+text)
	}
	return strings.TrimSpace(pattern), nil
}

// parseSpan parses FIRST..LAST, counted from 1.
func parseSpan(text string) (first, last uint64, err error) {
	low, high, _ := strings.Cut(text, "..")
	first, err = strconv.ParseUint(strings.TrimSpace(low), 10, 62)
	if err == nil {
		last, err = strconv.ParseUint(strings.TrimSpace(high), 10, 62)
	}
	if err == nil && (first < 1 || last < first) {
		err = strconv.ErrRange
	}
	return first, last, err
}

func (a *Access) parseTheta(c call) error {
	args, err := c.take(c.name+"(EXPONENT)", "theta")
	if err != nil {
		return err
	}
	a.Theta = defaultTheta
	if args[0] == "" {
		return nil
	}
	if a.Theta, err = parseNumber(args[0]); err != nil || a.Theta > maxTheta {
		return fmt.Errorf("%s: invalid exponent %q (want 0 to %d)", c.name, args[0], maxTheta)
	}
	return nil
}

func (a *Access) parseHot(c call) error {
	const form = "hot(OBJECTS%,TURNS%) or hot(OBJECTS%,TURNS%,shift=PERCENT%/min)"
	args, err := c.take(form, "objects", "turns", "shift")
	if err != nil {
		return err
	}
	var errs [3]error
	a.Hot, errs[0] = parsePercent(args[0])
	a.Share, errs[1] = parsePercent(args[1])
	if args[2] != "" {
		percent, unit, _ := strings.Cut(args[2], "/")
		a.Shift, errs[2] = parsePercent(percent)
		switch unit {
		case "min":
		case "s":
			a.Shift *= 60
		case "h":
			a.Shift /= 60
		default:
			return fmt.Errorf("hot: invalid shift %q (want PERCENT%%/s, /min or /h)", args[2])
		}
	}
	if err := cmp.Or(errs[:]...); err != nil {
		return fmt.Errorf("hot: %w", err)
	}
	if a.Hot == 0 || a.Hot == 100 {
		return fmt.Errorf("hot: %s%% of the objects (want more than 0%% and less than 100%%)", number(a.Hot))
	}
	return nil
}

func (a *Access) parseExponential(c call) error {
	args, err := c.take("exponential(OBJECTS%,TURNS%)", "objects", "turns")
	if err != nil {
		return err
	}
	var errs [2]error
	a.Hot, errs[0] = parsePercent(args[0])
	a.Share, errs[1] = parsePercent(args[1])
	if err := cmp.Or(errs[:]...); err != nil {
		return fmt.Errorf("exponential: %w", err)
	}
	if a.Hot == 0 || a.Share == 0 || a.Share == 100 {
		return fmt.Errorf("exponential: %s%% of the turns use %s%% of the objects (want more than 0%%, and less than 100%% of the turns)",
			number(a.Share), number(a.Hot))
	}
	return nil
}

// String returns the text form; empty for the zero value.
func (a Access) String() string {
	text := a.Pattern
	switch a.Pattern {
	case Zipf, Latest:
		text += "(" + number(a.Theta) + ")"
	case HotSet, Exponential:
		text += "(" + number(a.Hot) + "%," + number(a.Share) + "%"
		if a.Shift > 0 {
			text += ",shift=" + a.shiftText()
		}
		text += ")"
	}
	if a.Last == 0 {
		return text
	}
	span := fmt.Sprintf("range(%d..%d", a.First, a.Last)
	if g := a.Group; g.Of > 0 {
		span += fmt.Sprintf(",%d..%d of %d", g.From, g.To, g.Of)
	}
	span += ")"
	if text == "" {
		return span
	}
	return span + ":" + text
}

// shiftText returns the shift, by the second if it is more than all objects each minute.
func (a Access) shiftText() string {
	if a.Shift > 100 {
		return number(a.Shift/60) + "%/s"
	}
	return number(a.Shift) + "%/min"
}

// MarshalText returns the text form.
func (a Access) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText parses the text form.
func (a *Access) UnmarshalText(text []byte) (err error) {
	*a = Access{}
	if len(text) > 0 {
		*a, err = ParseAccess(string(text))
	}
	return err
}

// Set parses the text form; Access is a flag.Value.
func (a *Access) Set(text string) (err error) {
	*a, err = ParseAccess(text)
	return err
}

// Check returns an error for a range that n objects, or other things of that name, do not have.
func (a Access) Check(n uint64, name string) error {
	if a.Last > n {
		return fmt.Errorf("range(%d..%d): there are only %d %s", a.First, a.Last, n, name)
	}
	return nil
}

// Count returns how many of n objects are used.
func (a Access) Count(n uint64) uint64 {
	_, count := a.within(n)
	return count
}

// Within returns the access to the n objects of the range, counted from its first one.
func (a Access) Within(n uint64) Access {
	a.First, a.Last = 0, 0
	if g := a.Group; g.Of > 0 && n >= g.Of {
		a.First, a.Last = 1, n/g.Of*g.Of
	} else {
		a.Group = Group{}
	}
	return a
}

// within returns the first object of the range, and the number of objects in it.
func (a Access) within(n uint64) (first, count uint64) {
	if a.Last == 0 {
		return 0, n
	}
	count = a.Last - a.First + 1
	if g := a.Group; g.Of > 0 {
		count = count / g.Of * g.width()
	}
	return a.First - 1, count
}

func (g Group) width() uint64 { return g.To - g.From + 1 }

// place returns how far behind the first object of a range the k-th is that is used.
func (g Group) place(k uint64) uint64 {
	if g.Of == 0 {
		return k
	}
	return k/g.width()*g.Of + g.From - 1 + k%g.width()
}
