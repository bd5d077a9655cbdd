package flags

import "github.com/urfave/cli/v3"

// Choice is a flag that takes one of a few values, which completion offers.
type Choice struct {
	cli.StringFlag
	Values  func() []string
	Several bool // separated by commas
}

// Choices is a flag that may be repeated, with values that completion offers.
type Choices struct {
	cli.GenericFlag
	Values func() []string
}

// Offered are values for Choice. Where they are also checked, it is by the same list.
func Offered[T ~string](values ...T) func() []string {
	return func() (list []string) {
		for _, v := range values {
			list = append(list, string(v))
		}
		return list
	}
}

// Values returns the values that completion offers for a flag, and whether it takes several of them, separated by commas.
func Values(f cli.Flag) (values []string, several bool) {
	held := f.Get()
	switch f := f.(type) {
	case *Choice:
		return f.Values(), f.Several
	case *Choices:
		return f.Values(), false
	case *cli.GenericFlag:
		v, ok := f.Value.(value)
		if !ok {
			return nil, false
		}
		if c, ok := v.Value.(interface{ Choices() []string }); ok {
			return c.Choices(), false
		}
		held = v.Get()
	}
	if _, isBool := held.(bool); isBool {
		return []string{"true", "false"}, false
	}
	return nil, false
}
