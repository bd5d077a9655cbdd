package jsonapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// bucketFacts is what the store says of a bucket.
type bucketFacts struct {
	Location, LocationType, StorageClass string

	HierarchicalNamespace struct{ Enabled bool }
	SoftDeletePolicy      struct{ RetentionDurationSeconds string }
	IAMConfiguration      struct{ UniformBucketLevelAccess struct{ Enabled bool } }
}

// AskAccount asks what kind of bucket it is, and what it keeps.
func (d *Dialect) AskAccount(ctx context.Context, s s3.Session, c *s3.Call) (facts []s3.Fact, err error) {
	d.onBucket(s, c, http.MethodGet)
	c.Act = s3.Act{Words: "ask what kind of bucket it is", Right: "storage.buckets.get"}
	c.SetQuery("fields", "location,locationType,storageClass,softDeletePolicy,hierarchicalNamespace,iamConfiguration")
	var b bucketFacts
	c.Take = func(_ *s3.Call, text []byte) ([]byte, error) {
		if err := json.Unmarshal(text, &b); err != nil {
			return nil, ops.BadResponse("bucket", err)
		}
		return nil, nil
	}
	if err := bucketError(s.Do(ctx, c)); err != nil {
		return nil, err
	}
	return b.list(), nil
}

func (b *bucketFacts) list() (facts []s3.Fact) {
	place := s3.Fact{Name: "Place", Text: strings.TrimSpace(b.Location + " " + b.LocationType)}
	if strings.EqualFold(b.LocationType, "zone") {
		place.Refusal = "the bucket is a zonal one, which takes gRPC only"
	}
	soft := s3.Fact{Name: "Soft delete", Text: "no"}
	if n, err := strconv.ParseInt(b.SoftDeletePolicy.RetentionDurationSeconds, 10, 64); err == nil && n > 0 {
		soft.Text = (time.Duration(n) * time.Second).String()
		soft.Warning = fmt.Sprintf("soft delete is on: what is deleted is kept, and billed, for %s", soft.Text)
	}
	for _, f := range []s3.Fact{
		place,
		{Name: "Storage class", Text: b.StorageClass},
		{Name: "Uniform access", Text: yesNo(b.IAMConfiguration.UniformBucketLevelAccess.Enabled)},
		{Name: "Hierarchical namespace", Text: yesNo(b.HierarchicalNamespace.Enabled)},
		soft,
	} {
		if f.Text != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
