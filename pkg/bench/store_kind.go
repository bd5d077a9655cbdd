package bench

import (
	"fmt"

	"warp/internal/option"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// checkStoreKind returns an error for what a workload needs and the kind of store lacks.
func checkStoreKind(s *task, p *Plan) error {
	d := connect.Dialect(&p.Target)
	if d.Name() == s3.StoreS3 {
		return nil
	}
	for _, verb := range s.traits.Verbs() {
		if lack := d.Lacks(verb); lack != "" {
			return fmt.Errorf("%s: %s has no %s", s.Workload, d.Title(), lack)
		}
	}
	if most := uint64(d.Limits().Deletions); s.traits.MaxDeletes > most {
		return option.Errorf("batch", "%d deletions by one request (%s has at most %d)", s.traits.MaxDeletes, d.Title(), most)
	}
	return nil
}
