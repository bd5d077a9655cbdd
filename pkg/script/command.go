package script

import "warp/pkg/bench"

// Command is a benchmark with its flags, which make a plan. What a scenario can say is what they can say.
type Command interface {
	Has(flag string) bool
	OfOperation(flag string) bool // it is a parameter of the workload
	OfTarget(flag string) bool    // it is about hosts, requests or uploads
	Flags() []string
	Default(flag string) string
	Set(flag, value string) error
	Plan() (*bench.Plan, error) // of one stream; errors are from package option, joined
}

// Options are what a file is resolved with.
type Options struct {
	New       func(operation string) Command
	Variables func(name string) (value string, ok bool, err error)
	Output    func(name string) (path string, err error) // of a file to be written
	Flags     []Param                                    // that no scenario can set; a command without one goes without
}
