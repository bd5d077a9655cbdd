package flags

import (
	"errors"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"
)

// Percent is the value of a flag that is given in percent, with the sign or without.
type Percent float64

// PercentFlag is a flag whose value is in percent.
func PercentFlag(name, usage string, p *Percent) cli.Flag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: value{p}, DefaultText: p.String()}
}

// Set reads "3" or "3%".
func (p *Percent) Set(text string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil {
		return errors.New("want a percentage such as 3 or 3%")
	}
	*p = Percent(v)
	return nil
}

// String is the value without a sign.
func (p *Percent) String() string { return strconv.FormatFloat(float64(*p), 'f', -1, 64) }
