package bench

import (
	"context"
	"fmt"
	"testing"

	"warp/pkg/s3"
)

// endless is a session whose listings have no end.
type endless struct {
	s3.Session
	pages int
}

func (e *endless) List(_ context.Context, c *s3.Call) error {
	e.pages++
	c.Entries = append(c.Entries, s3.Entry{Key: fmt.Sprint(e.pages)})
	c.Next = fmt.Sprint("page ", e.pages)
	return nil
}

// Others may have any number of objects where a run's may be; looking for the run's comes to an end.
func TestSearchEnds(t *testing.T) {
	e := &endless{}
	if err := new(Run).search(context.Background(), e, "", func(string) bool { return false }); err != nil || e.pages != searchPages {
		t.Errorf("%v after %d pages", err, e.pages)
	}
}
