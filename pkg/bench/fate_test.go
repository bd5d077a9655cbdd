package bench

import (
	"context"
	"testing"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// answers is a session whose uploads and deletions come out as was chosen.
type answers struct {
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
	set := testSet(t, 1, 0, 1, generator.Spec{})
	records := op.NewCollector()
	defer records.Close()
	for i, c := range []struct {
		answers
		fails, gone bool
	}{{answers{0, false}, true, true}, {answers{0, true}, true, false}, {answers{503, true}, true, false}, {answers{200, true}, false, false}} {
		w := &Worker{Set: set, S3: &c.answers, kinds: []op.Kind{op.Put}, records: records.Worker(), body: set.Body()}
		if _, err := w.PutNew(t.Context()); (err != nil) != c.fails || (len(set.Batch(uint64(i), uint64(i)+1, 0)) == 0) != c.gone {
			t.Errorf("%+v: error %v, left %v", c, err, set.Batch(uint64(i), uint64(i)+1, 0))
		}
	}
}

// TestFateOfDeletions has a deletion fail in each way, perhaps once more, and looks where its object is then.
func TestFateOfDeletions(t *testing.T) {
	records := op.NewCollector()
	defer records.Close()
	unsent, lost := answers{0, false}, answers{0, true}
	status := func(n int) answers { return answers{n, true} }
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
		set := changingSet(t, 10, 10)
		w := &Worker{Set: set, kinds: []op.Kind{op.Delete}, records: records.Worker()}
		var first uint64
		for try, a := range []answers{c.first, c.second} {
			w.S3 = &a
			if !w.hold.Acquire(set, dataset.Need{Takes: 1}, uint64(try)) {
				t.Fatalf("%s: try %d has nothing to delete", c.name, try)
			}
			i := w.Taken()[0]
			if try == 0 {
				first = i
			}
			if again := w.hold.MaybeDeleted(); again != (try == 1 && c.doubted) || again && i != first {
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
		if !w.hold.Acquire(set, dataset.Need{Takes: 1}, 2) || c.doubted && w.hold.MaybeDeleted() != c.doubtedEnd {
			t.Errorf("%s: at the end %d in doubt %v", c.name, w.Taken(), w.hold.MaybeDeleted())
		}
	}
}

// changingSet returns a data set that changes, of which some objects exist.
func changingSet(t testing.TB, objects, exist uint64) *dataset.DataSet {
	t.Helper()
	set := dataset.New(testSet(t, 1, objects, 1, generator.Spec{}).Layout, dataset.Options{Part: dataset.Whole, Capacity: &dataset.Capacity{}, Inventory: true, Taken: true})
	for range exist {
		set.Settle(set.New(), true)
	}
	return set
}
