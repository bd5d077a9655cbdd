package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// Think is the pause of a thread of a closed loop between its turns, as text: 20ms after the end of each turn; exp(20ms), random with an
// exponential distribution of that average; 20ms@start, from the start of a turn to the start of the next one, which begins at once if that
// time is over; 20ms@start+1s, the same, but turns that began late are caught up with, by one second at most. The zero value is no
// pause.
type Think struct {
	Mean      time.Duration
	Random    bool
	FromStart bool
	CatchUp   time.Duration // with FromStart
}

// ParseThink returns the pause of a text.
func ParseThink(text string) (t Think, err error) {
	rest, more, fromStart := strings.Cut(strings.TrimSpace(text), "@start")
	t.FromStart = fromStart
	if late, given := strings.CutPrefix(more, "+"); given {
		t.CatchUp, err = parseLength(late)
		given = err == nil && t.CatchUp > 0
		if more = ""; !given {
			return Think{}, fmt.Errorf("invalid value %q (want a time to catch up with, as in 20ms@start+1s)", text)
		}
	}
	if more != "" {
		rest = text
	}
	if name, args, ok := function(rest); ok {
		if name != "exp" {
			return Think{}, fmt.Errorf("unknown distribution %q (want exp, as in exp(20ms))", name)
		}
		t.Random, rest = true, args
	}
	if t.Mean, err = parseLength(rest); err != nil {
		return Think{}, fmt.Errorf("invalid value %q (want a pause as in 20ms, exp(20ms) or 20ms@start)", text)
	}
	return t, nil
}

// IsZero reports whether there is no pause.
func (t Think) IsZero() bool { return t == Think{} }

// String returns the text form.
func (t Think) String() string {
	if t.IsZero() {
		return ""
	}
	text := shortest(t.Mean)
	if t.Random {
		text = "exp(" + text + ")"
	}
	if t.FromStart {
		text += "@start"
	}
	if t.CatchUp > 0 {
		text += "+" + shortest(t.CatchUp)
	}
	return text
}

// MarshalText returns the text form.
func (t Think) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText parses the text form.
func (t *Think) UnmarshalText(text []byte) (err error) {
	*t, err = ParseThink(string(text))
	return err
}

// after returns the pause after turn n. Random ones are a function of the seed and n.
func (t Think) after(seed, n uint64) time.Duration {
	if !t.Random {
		return t.Mean
	}
	var source rand.PCG
	source.Seed(seed, n)
	source.Uint64() // near seeds differ little at first
	source.Uint64()
	return min(maxLength, time.Duration(-math.Log(unit(&source))*float64(t.Mean)))
}

// rarePause is the number of means that one of 160,000 random pauses exceeds.
const rarePause = 12

// Longest returns how long a pause is at most; random ones are longer once in a very long time.
func (t Think) Longest() time.Duration {
	if t.Random {
		return min(maxLength, rarePause*min(t.Mean, maxLength/rarePause))
	}
	return t.Mean
}
