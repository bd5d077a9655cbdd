package recording

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"warp/pkg/op"
)

// TestRecorderOnAFullDisk: the run goes on, the failure is reported once, and it is known what the recording lacks, which is
// what a reader of it finds.
func TestRecorderOnAFullDisk(t *testing.T) {
	for _, room := range []int{0, 50, 200, 2000, 20000, 1 << 20} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			disk := &fullDisk{room: room}
			w, err := NewWriter(disk, Header{})
			if w == nil {
				t.Fatal(err)
			}
			reported := 0
			r := NewRecorder(w, func(err error) {
				if reported++; !errors.Is(err, errFull) {
					t.Errorf("reported of %v", err)
				}
			})
			const seconds, each = 50, 100
			for second := range seconds {
				start := time.Unix(int64(1000+second), 0).UTC()
				ops := make([]op.Op, each)
				for i := range ops {
					ops[i] = op.Op{Kind: op.Get, Key: fmt.Sprint(second*7919, i*104729), Endpoint: "http://h", Start: start, End: start.Add(time.Second)}
				}
				if err := errors.Join(r.Write(ops), r.Flush()); err != nil {
					t.Fatalf("the run is stopped by %v", err)
				}
			}
			whole := room == 1<<20
			if err := errors.Join(r.Close(), r.Finish(map[string]bool{"end": true})); errors.Is(err, errFull) == whole {
				t.Errorf("finished with %v", err)
			}
			if (reported == 1) == whole || reported > 1 {
				t.Errorf("reported %d times", reported)
			}
			missing, all := r.Missing()
			until, span := r.Recorded()
			rows := rowsIn(t, disk.Bytes())
			if all != seconds*each || all-missing > rows || all-missing < rows-each { // the frame that was cut may hold some
				t.Errorf("%d of %d operations are missing, but %d can be read", missing, all, rows)
			}
			want := time.Duration((all-missing)/each) * time.Second
			if span != want || want > 0 && !until.Equal(time.Unix(1000, 0).Add(want)) {
				t.Errorf("the recording ends %v after its begin, at %v; want %v", span, until, want)
			}
			if room == 20000 && (missing == 0 || missing == all) {
				t.Errorf("%d of %d are missing: the disk must be full in the middle", missing, all)
			}
		})
	}
}

// rowsIn is how many operations a recording holds.
func rowsIn(t *testing.T, recording []byte) (n int64) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(recording), "cut")
	if err != nil {
		return 0
	}
	defer r.Close()
	for r.Scan() {
		n++
	}
	if len(r.Incomplete()) == 0 != (n == 5000) {
		t.Errorf("of %d operations it is said that the recording lacks %q", n, r.Incomplete())
	}
	return n
}

// What a killed run leaves behind: all but the last second.
func TestCollectorIsAtMostASecondBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file bytes.Buffer
		w, err := NewWriter(&file, Header{})
		if err != nil {
			t.Fatal(err)
		}
		c := op.NewCollector(w)
		buf := c.Worker()
		for i := range 20 {
			buf.Add(&op.Op{Kind: op.Get, Start: at(int64(i)), End: at(int64(i) + 1)})
			time.Sleep(time.Second)
			synctest.Wait()
			if got, _ := readAll(t, file.Bytes()); len(got) != i+1 {
				t.Fatalf("a second after %d operations, %d are in the file", i+1, len(got))
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		got, r := readAll(t, file.Bytes())
		noWarnings(t, r)
		if len(got) != 20 {
			t.Errorf("%d operations at the end", len(got))
		}
	})
}
