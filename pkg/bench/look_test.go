package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"warp/pkg/s3"
)

// endless is a session whose listings have no end.
type endless struct{ pages int }

func (e *endless) Do(_ context.Context, c *s3.Call) error {
	e.pages++
	const page = "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>%d</Key></Contents>" +
		"<NextContinuationToken>%d</NextContinuationToken></ListBucketResult>"
	return c.Parse(strings.NewReader(fmt.Sprintf(page, e.pages, e.pages)))
}

// Others may have any number of objects where a run's may be; looking for the run's comes to an end.
func TestSearchEnds(t *testing.T) {
	e := &endless{}
	if err := lookFor(context.Background(), e, s3.Listing{Flat: true}, func(string) bool { return false }); err != nil || e.pages != searchPages {
		t.Errorf("%v after %d pages", err, e.pages)
	}
}
