package work_test

import (
	"context"
	"testing"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// answers is a session whose uploads and deletions come out as was chosen.
type answers struct {
	connect.Fake
	status int  // of the next one; 0: no response
	begun  bool // it was sent
}

func (a *answers) Do(_ context.Context, c *s3.Call) error {
	c.Status, c.MaybeSent = a.status, a.begun
	if a.status/100 == 2 {
		return nil
	}
	return &s3.Error{Class: "as chosen", Status: a.status}
}

func TestUploadsThatNeverLeft(t *testing.T) {
	set := benchtest.Set(t, 1, 0, 1, generator.Spec{})
	records := op.NewCollector()
	defer records.Close()
	for i, c := range []struct {
		answers
		fails, gone bool
	}{{answers{status: 0, begun: false}, true, true}, {answers{status: 0, begun: true}, true, false}, {answers{status: 503, begun: true}, true, false}, {answers{status: 200, begun: true}, false, false}} {
		w := benchtest.Worker(t, work.Options{Set: set}, records, 1, op.Put)
		w.S3 = &c.answers
		if _, err := w.PutNew(t.Context()); (err != nil) != c.fails || (len(set.Batch(uint64(i), uint64(i)+1, 0)) == 0) != c.gone {
			t.Errorf("%+v: error %v, left %v", c, err, set.Batch(uint64(i), uint64(i)+1, 0))
		}
	}
}

// TestFateOfDeletions has a deletion fail in each way, perhaps once more, and looks where its object is then.
func TestFateOfDeletions(t *testing.T) {
	records := op.NewCollector()
	defer records.Close()
	unsent, lost := answers{status: 0, begun: false}, answers{status: 0, begun: true}
	status := func(n int) answers { return answers{status: n, begun: true} }
	for _, c := range []struct {
		name                 string
		first, second        answers
		there, doubted       bool // after the first
		thereEnd, doubtedEnd bool // after the second, which is of the same object only if that was doubted
		errs                 [2]bool
	}{
		{"deleted", status(204), status(204), false, false, false, false, [2]bool{}},
		{"never sent", unsent, status(204), true, false, true, false, [2]bool{true, false}},
		{"refused", status(403), status(204), true, false, true, false, [2]bool{true, false}},
		{"is not there", status(404), status(204), false, false, false, false, [2]bool{true, false}},
		{"lost and deleted again", lost, status(204), false, true, false, false, [2]bool{true, false}},
		{"lost and was gone", lost, status(404), false, true, false, false, [2]bool{true, false}},
		{"lost twice", lost, lost, false, true, false, true, [2]bool{true, true}},
		{"lost and never sent", lost, unsent, false, true, false, true, [2]bool{true, true}},
		{"lost and refused", lost, status(403), false, true, false, true, [2]bool{true, true}},
		{"server error", status(500), status(204), false, true, false, false, [2]bool{true, false}},
		{"slow down", status(429), status(204), false, true, false, false, [2]bool{true, false}},
	} {
		set := benchtest.ChangingSet(t, 10, 10)
		w := benchtest.Worker(t, work.Options{Set: set}, records, 1, op.Delete)
		var first uint64
		for try, a := range []answers{c.first, c.second} {
			w.S3 = &a
			if !w.Acquire(dataset.Need{MaxDeletes: 1}, uint64(try)) {
				t.Fatalf("%s: try %d has nothing to delete", c.name, try)
			}
			i := w.Deletions()[0]
			if try == 0 {
				first = i
			}
			if again := i == first; again != (try == 0 || c.doubted) {
				t.Fatalf("%s: try %d took %d, again %v", c.name, try, i, again)
			}
			if err := w.Delete(t.Context(), i); (err != nil) != c.errs[try] {
				t.Errorf("%s: try %d: %v", c.name, try, err)
			}
			there := set.Existing() == 10
			if try == 0 && there != c.there || try == 1 && c.doubted && there != c.thereEnd {
				t.Errorf("%s: after try %d there %v", c.name, try, there)
			}
		}
		if !w.Acquire(dataset.Need{MaxDeletes: 1}, 2) || c.doubted && (w.Deletions()[0] == first) != c.doubtedEnd {
			t.Errorf("%s: at the end %d is taken, in doubt %v", c.name, w.Deletions(), c.doubtedEnd)
		}
	}
}
