package script

import "warp/pkg/search"

// point is what flags are set to at a point of a sweep.
type point struct {
	grid   search.Grid
	values []search.Value
	at     place  // of the sweep
	found  []bool // for each flag: an operation has it
}

// set sets the flags of an operation, if it has them.
func (p *point) set(s *setter) {
	for i, v := range p.values {
		flag := p.grid[i].Flag()
		switch {
		case s.cmd.OfTarget(flag):
			p.found[i] = true
			s.report(errOfTarget(p.grid[i].Name), map[string]place{"over": p.at}, p.at.pos, p.at.path)
		case s.cmd.Has(flag):
			p.found[i] = true
			s.set(flag, v.Text, p.at.pos, p.at.path)
		}
	}
}
