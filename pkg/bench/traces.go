package bench

import (
	"strings"

	"warp/pkg/generator"
)

// Traces are the prefixes below which everything lies that client number share makes, so that it can be found if the client
// is gone: those of its threads and its claim, or what all keys begin with (perhaps nothing) if threads have none. Nil if the plan makes
// no objects, or wants them to stay.
func (p *Plan) Traces(share uint64) []string {
	if p.KeepData || p.readsOnly() {
		return nil
	}
	keys := generator.NewKeys(p.Data, p.seedOf(share), p.threads())
	var dirs []string
	for i := range keys.Dirs() {
		dirs = append(dirs, keys.Dir(i))
	}
	if claims := keys.Claims(); !strings.HasPrefix(claims, dirs[0]) {
		dirs = append(dirs, claims)
	}
	return dirs
}

// seedOf is the seed of a client's data; all have the same if they share it.
func (p *Plan) seedOf(share uint64) uint64 {
	if p.SharedData {
		share = 0
	}
	return generator.Mix(p.Seed, share)
}

// threads is how many threads the phase with the most of them has.
func (p *Plan) threads() (n int) {
	for i := range p.Phases {
		n = max(n, p.Phases[i].Concurrency)
	}
	return n
}

// makes reports whether a phase makes objects.
func (p *Plan) makes() bool {
	for i := range p.Phases {
		if w, err := p.Phases[i].NewWorkload(); err == nil && !w.Traits().Existing {
			return true
		}
	}
	return false
}

// readsOnly reports whether no phase makes or deletes objects.
func (p *Plan) readsOnly() bool {
	for i := range p.Phases {
		w, err := p.Phases[i].NewWorkload()
		if err != nil {
			return false // the run will say what is wrong with it
		}
		if !w.Traits().readsOnly() {
			return false
		}
	}
	return true
}
