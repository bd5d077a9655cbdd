package bench

import (
	"errors"
	"fmt"
	"slices"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/load"
)

// fits returns an error for an invalid share of a client, or an impossible load.
func (c *Compiled) fits(part load.Share) error {
	switch threads := uint64(c.threads()); {
	case part.Index >= part.Total || part.Total > maxClients || part.Total*threads > maxAll:
		return fmt.Errorf("client %d of %d with %d threads each: an invalid share", part.Index+1, part.Total, threads)
	case c.SharedData && part.Total > 1 && c.RunID == "":
		return errors.New("plan: missing run id (clients that share data need one for their claims)")
	case c.SharedData && part.Total > 1 && c.Target.BucketPerClient():
		return option.Errorf("shared-data", "{client} in --bucket gives each client a bucket of its own, so that they share nothing")
	}
	if err := checkPart(c, part); err != nil {
		return err
	}
	for _, set := range c.sets {
		perClient := c.keys(set, part.Index).PerClient() || c.Target.BucketPerClient()
		if set.makes && part.Total > 1 && !perClient && !c.SharedData {
			return option.Errorf("keys", "clients would have the same keys: add {client}, here or in --bucket, or use --shared-data")
		}
	}
	for _, s := range c.streams {
		if s.Rate > 0 {
			if _, err := load.Rate(s.Rate * float64(part.Total)); err != nil {
				return option.Errorf("rps-limit", "of all %d clients: %w", part.Total, err)
			}
		}
	}
	return nil
}

// checkClients returns an error for an impossible choice of clients.
func checkClients(s *stream, p *Plan) (errs []error) {
	for i, n := range s.Clients {
		if n >= maxClients || slices.Contains(s.Clients[:i], n) {
			errs = append(errs, fmt.Errorf("stream %q: invalid clients %d (want numbers from 0, each once)", s.Name, s.Clients))
			break
		}
	}
	if len(s.Clients) == 0 {
		return errs
	}
	if p.Phases[s.phase].Search != nil {
		errs = append(errs, fmt.Errorf("stream %q: a search is on all clients", s.Name))
	}
	if p.SharedData && slices.ContainsFunc(s.tasks, func(t *task) bool { return t.traits.Effect != work.Reads }) {
		errs = append(errs, option.Errorf("shared-data", "stream %q is on some clients, which can only read a data set that all share", s.Name))
	}
	return errs
}

// checkPart returns an error for streams on clients that do not exist.
func checkPart(c *Compiled, part load.Share) error {
	for _, s := range c.streams {
		if part.Total > 1 && slices.ContainsFunc(s.Clients, func(n uint64) bool { return n >= part.Total }) {
			return fmt.Errorf("stream %q: on clients %d of %d (want smaller numbers)", s.Name, s.Clients, part.Total)
		}
	}
	return nil
}
