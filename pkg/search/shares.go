package search

import "math"

// interval returns the 95% interval of the share of bad operations, if they are independent.
func (c Count) interval() (low, high float64) {
	if c.Operations == 0 {
		return 0, 1
	}
	return wilson(c.Share(), c.Operations)
}

// worst returns the objective that a trial misses by the largest factor.
func (c *Config) worst(o *Observation) (name string) {
	highest := 0.0
	for i, obj := range c.Objectives {
		if n := c.total(o, i); n.Operations > 0 && n.Share()/obj.Allowed > highest {
			name, highest = obj.String(), n.Share()/obj.Allowed
		}
	}
	return name
}

// Verdict returns the result of the trial for all objectives together.
func (c *Config) Verdict(o *Observation) Verdict {
	if o.ClientLimited {
		return Invalid
	}
	if o.Aborted {
		return Fail
	}
	result := Pass
	for i, obj := range c.Objectives {
		low, high := c.interval(o, i)
		switch {
		case c.absent(o, i):
		case low > obj.Allowed:
			return Fail
		case high > obj.Allowed:
			result = Undecided
		}
	}
	return result
}

// meets reports whether the pooled shares of a trial meet all objectives.
func (c *Config) meets(o *Observation) bool {
	if o.ClientLimited || o.Aborted {
		return false
	}
	for i, obj := range c.Objectives {
		if !c.absent(o, i) && c.total(o, i).Share() > obj.Allowed {
			return false
		}
	}
	return true
}

// total returns the counts of an objective over all blocks. What an aborted trial did not send would have come too late, and counts as
// bad where time counts: of each kind as many as of those sent.
func (c *Config) total(o *Observation, objective int) Count {
	n := o.totalFor(objective)
	planned, highest := o.Rate*o.Duration.Seconds(), o.maxOperations()
	if !o.Aborted || c.Objectives[objective].Limit == 0 || highest >= planned {
		return n
	}
	unsent := planned - highest
	if highest > 0 {
		unsent *= n.Operations / highest
	}
	n.add(Count{unsent, unsent})
	return n
}

// absent reports whether a trial had operations, but none that the objective covers: of a kind that is rare or has no share.
func (c *Config) absent(o *Observation, objective int) bool {
	return o.totalFor(objective).Operations == 0 && o.maxOperations() > 0
}

// interval returns Wilson's 95% interval of the share of bad operations, for the number of independent operations that would vary
// between blocks as much as these did: a bad second has many bad operations at once.
func (c *Config) interval(o *Observation, objective int) (low, high float64) {
	total := c.total(o, objective)
	if total.Operations == 0 {
		return 0, 1
	}
	return wilson(total.Share(), total.Operations/o.inflation(objective, total))
}

// wilson returns Wilson's 95% interval of a share of n independent operations.
func wilson(p, n float64) (low, high float64) {
	const z = 1.959964
	if p == 0 {
		return 0, z * z / (n + z*z)
	}
	center, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (center-half)/(1+z*z/n)), min(1, (center+half)/(1+z*z/n))
}
