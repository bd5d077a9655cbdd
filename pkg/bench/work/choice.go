package work

import "flag"

// choice is a parameter that takes one of a few values, which completion offers.
type choice struct {
	p      *string
	values []string
}

// BindChoice binds a parameter that takes one of a few values to a flag. Other values are left to the workload's Validate.
func BindChoice(fs *flag.FlagSet, p *string, name, value, usage string, values ...string) {
	*p = value
	fs.Var(&choice{p, values}, name, usage)
}

// String is the value.
func (c *choice) String() string {
	if c.p == nil {
		return ""
	}
	return *c.p
}

// Set takes any value.
func (c *choice) Set(text string) error {
	*c.p = text
	return nil
}

// Get is the value.
func (c *choice) Get() any { return *c.p }

// Choices returns the values.
func (c *choice) Choices() []string { return c.values }
