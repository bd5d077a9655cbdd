package cli

import (
	"strconv"
	"strings"
	"time"

	"warp/internal/option"
)

// budget is how many operations may fail.
type budget struct {
	number  int64
	percent float64
	over    time.Duration // of the operations of any such time, during the run; 0: of all, at its end
	text    string        // as it was given
}

const wantBudget = "a number such as 10, a percentage such as 0.1%, or one of a time, which ends the run, such as 5%/30s"

func parseBudget(text string) (b budget, err error) {
	b.text = text
	share, over, timed := strings.Cut(text, "/")
	number, percent := strings.CutSuffix(share, "%")
	switch {
	case percent:
		b.percent, err = strconv.ParseFloat(number, 64)
	case timed:
		err = strconv.ErrSyntax
	default:
		b.number, err = strconv.ParseInt(number, 10, 64)
	}
	if timed && err == nil {
		b.over, err = time.ParseDuration(over)
	}
	if err != nil || b.number < 0 || !(b.percent >= 0 && b.percent <= 100) || timed && b.over < time.Second {
		return budget{}, option.Invalid("max-errors", text, wantBudget)
	}
	return b, nil
}

// broken reports whether more operations of a whole run failed than the budget allows.
func (b *budget) broken(failed, total int64) bool {
	return b.over == 0 && failed > b.number && float64(failed) > b.percent/100*float64(total)
}
