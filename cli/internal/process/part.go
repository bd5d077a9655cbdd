package process

import (
	"maps"
	"slices"
	"strings"
)

// Part returns the process as one of several commands sees it that a script runs, maybe at the same time.
func (e *Env) Part() *Env {
	part := *e
	part.noticed, part.read, part.given = maps.Clone(e.noticed), maps.Clone(e.read), maps.Clone(e.given)
	part.bound = maps.Clone(e.bound)
	return &part
}

// Export sets variables, NAME=VALUE, in addition to the environment's. The last one of a name counts.
func (e *Env) Export(variables []string) {
	getenv, environ := e.Getenv, e.Environ
	e.Getenv = func(name string) string {
		for _, v := range slices.Backward(variables) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return getenv(name)
	}
	if environ == nil {
		return
	}
	e.Environ = func() []string {
		list := slices.DeleteFunc(environ(), func(v string) bool {
			name, _, _ := strings.Cut(v, "=")
			return slices.ContainsFunc(variables, func(own string) bool { return strings.HasPrefix(own, name+"=") })
		})
		return append(list, variables...)
	}
}
