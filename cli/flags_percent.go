package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"
)

// percent is the value of a flag that is given in percent, with the sign or without.
type percent float64

// percentFlag is a flag whose value is in percent.
func percentFlag(name, usage string, p *percent) cli.Flag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: value{p}, DefaultText: p.String()}
}

// Set reads "3" or "3%".
func (p *percent) Set(text string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil {
		return errors.New("want a percentage such as 3 or 3%")
	}
	*p = percent(v)
	return nil
}

// String is the value without a sign.
func (p *percent) String() string { return strconv.FormatFloat(float64(*p), 'f', -1, 64) }
