package bench

import (
	"fmt"
	"slices"

	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// counted is a workload that knows how many of its operations need what a store may lack.
type counted interface {
	Needing(v s3.Verb) (n, of int64)
}

// chooseInterface takes the interface of Google that has uploads in parts for a run that needs these, unless one was asked for.
func chooseInterface(p *Plan, tasks []*task) {
	t := &p.Target
	parts := t.Uploads.PartSize > 0 || slices.ContainsFunc(tasks, func(s *task) bool { return slices.Contains(s.traits.Verbs(), s3.InParts) })
	if t.Store == s3.StoreGCS && t.API == "" && parts {
		t.API = s3.APIXML
	}
}

// checkStoreKind returns an error for what a workload needs and the kind of store lacks.
func checkStoreKind(s *task, p *Plan) error {
	d := connect.Dialect(&p.Target)
	verbs := s.traits.Verbs()
	if p.Target.Uploads.PartSize > 0 {
		verbs = append(verbs, s3.InParts)
	}
	for _, verb := range verbs {
		lack := d.Lacks(verb)
		if lack == "" {
			continue
		}
		if c, ok := s.workload.(counted); ok {
			if n, all := c.Needing(verb); n > 0 {
				return fmt.Errorf("%s: %d of %d operations have no counterpart, leave them out with --only=KINDS: %s",
					s.Workload, n, all, lack)
			}
		}
		return fmt.Errorf("%s: %s", s.Workload, lack)
	}
	if most := uint64(d.Limits().Deletions); s.traits.MaxDeletes > most {
		return option.Errorf("batch", "%d deletions by one request (%s has at most %d)", s.traits.MaxDeletes, d.Title(), most)
	}
	return nil
}
