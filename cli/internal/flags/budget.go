package flags

import (
	"strconv"
	"strings"
	"time"

	"warp/internal/option"
)

// Budget is how many operations may fail.
type Budget struct {
	number  int64
	Percent float64
	Over    time.Duration // of the operations of any such time, during the run; 0: of all, at its end
	Text    string        // as it was given
}

const wantBudget = "a number such as 10, a percentage such as 0.1%, or one of a time, which ends the run, such as 5%/30s"

// ParseBudget reads the value of --max-errors.
func ParseBudget(text string) (b Budget, err error) {
	b.Text = text
	share, over, timed := strings.Cut(text, "/")
	number, percent := strings.CutSuffix(share, "%")
	switch {
	case percent:
		b.Percent, err = strconv.ParseFloat(number, 64)
	case timed:
		err = strconv.ErrSyntax
	default:
		b.number, err = strconv.ParseInt(number, 10, 64)
	}
	if timed && err == nil {
		b.Over, err = time.ParseDuration(over)
	}
	if err != nil || b.number < 0 || !(b.Percent >= 0 && b.Percent <= 100) || timed && b.Over < time.Second {
		return Budget{}, option.Invalid("max-errors", text, wantBudget)
	}
	return b, nil
}

// Broken reports whether more operations of a whole run failed than the budget allows.
func (b *Budget) Broken(failed, total int64) bool {
	return b.Over == 0 && failed > b.number && float64(failed) > b.Percent/100*float64(total)
}
