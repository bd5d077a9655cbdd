package bench

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/generator"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// endless is a session whose listings have no end.
type endless struct {
	connect.Fake
	pages int
}

func (e *endless) Do(_ context.Context, c *s3.Call) error {
	e.pages++
	const page = "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>%d</Key></Contents>" +
		"<NextContinuationToken>%d</NextContinuationToken></ListBucketResult>"
	return c.Parse(strings.NewReader(fmt.Sprintf(page, e.pages, e.pages)))
}

// Others may have any number of objects where a run's may be; looking for the run's comes to an end.
func TestSearchEnds(t *testing.T) {
	e := &endless{}
	if err := searchListing(context.Background(), e, ops.Listing{Flat: true}, func(string) bool { return false }); err != nil || e.pages != searchPages {
		t.Errorf("%v after %d pages", err, e.pages)
	}
}

// refusing is a session that may not write to the buckets from number 1 on.
type refusing struct {
	connect.Fake
	bucket int
}

func (r refusing) Do(context.Context, *s3.Call) error {
	if r.bucket > 0 {
		return &s3.Error{Status: http.StatusForbidden}
	}
	return nil
}

// A claim that is refused in one bucket is not forgotten in the bucket before.
func TestClaimsOfSeveralBuckets(t *testing.T) {
	set := benchtest.Set(t, 1, 0, 1, generator.Spec{})
	plan := &Compiled{Plan: &Plan{Force: true}, sets: []*setPlan{{makes: true}}}
	var all []*claims
	for bucket := range 2 {
		c := &claims{plan: plan, sets: []*dataset.DataSet{set}, session: func(int) s3.Session { return refusing{bucket: bucket} }, keys: map[*dataset.DataSet]string{}}
		if all = append(all, c); c.claimAll(t.Context()) != nil {
			t.Errorf("bucket %d is refused as a whole", bucket)
		}
	}
	plan.Force = false
	if all[0].removable(0, false) == "" || all[1].removable(0, false) != "" {
		t.Errorf("claims: %q, %q", all[0].removable(0, false), all[1].removable(0, false))
	}
}
