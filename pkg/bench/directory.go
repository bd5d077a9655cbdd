package bench

import (
	"fmt"

	"warp/internal/option"
	"warp/pkg/s3"
)

// checkDirectory returns an error for features that a workload needs and a directory bucket lacks.
func checkDirectory(s *task, p *Plan) error {
	if !s3.IsDirectory(p.Target.Bucket) {
		return nil
	}
	lack := ""
	for _, k := range s.traits.Recorded() {
		if f, _ := k.Facts(); f.NotInDirectory != "" {
			lack = f.NotInDirectory
			break
		}
	}
	switch {
	case lack != "":
	case s.traits.Locks:
		lack = "object lock"
	case s.traits.Versions > 0:
		lack = "versions"
	case s.traits.SignedAhead:
		lack = "requests that are signed ahead"
	case s.traits.NotInDirectory != "":
		lack = s.traits.NotInDirectory
	default:
		return nil
	}
	return fmt.Errorf("%s: %w", s.Workload, option.Errorf("bucket", "%s is a directory bucket, and these have no %s", p.Target.Bucket, lack))
}
