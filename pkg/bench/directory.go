package bench

import (
	"fmt"

	"warp/internal/option"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// lackedKinds are the operations that directory buckets do not have.
var lackedKinds = map[op.Kind]string{
	op.GetTags: "tags of objects", op.PutTags: "tags of objects", op.DeleteTags: "tags of objects", op.ACL: "ACLs", op.Post: "uploads by forms",
	op.Retention: "object lock", op.GetRetention: "object lock", op.LegalHold: "object lock", op.GetLegalHold: "object lock",
	op.CreateBucket: "plain buckets beside them", op.DeleteBucket: "plain buckets beside them",
}

// checkDirectory returns an error for what a workload needs and a directory bucket lacks.
func checkDirectory(s *task, p *Plan) error {
	if !s3.IsDirectory(p.Target.Bucket) {
		return nil
	}
	lack := ""
	for _, k := range s.traits.Recorded() {
		if lack = lackedKinds[k]; lack != "" {
			break
		}
	}
	switch {
	case lack != "":
	case s.traits.Locks:
		lack = "object lock"
	case s.traits.Versions > 0:
		lack = "versions"
	case s.traits.Ahead:
		lack = "requests that are signed ahead"
	case s.traits.NotInDirectory != "":
		lack = s.traits.NotInDirectory
	default:
		return nil
	}
	return fmt.Errorf("%s: %w", s.Workload, option.Errorf("bucket", "%s is a directory bucket, and these have no %s", p.Target.Bucket, lack))
}
