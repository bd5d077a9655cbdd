package report

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"warp/pkg/aggregate"
)

// touchedOf is the record of objects that were used as often as said.
func touchedOf(t *testing.T, ops ...uint64) *aggregate.Touched {
	t.Helper()
	total := uint64(0)
	for _, n := range ops {
		total += n
	}
	b := []byte(nil)
	for _, v := range []uint64{total, 0, 0, uint64(len(ops))} {
		b = binary.AppendUvarint(b, v)
	}
	for _, n := range ops {
		for _, v := range []uint64{1 << 40, n, 1024} { // the distance of hashes, operations, size
			b = binary.AppendUvarint(b, v)
		}
	}
	var touched aggregate.Touched
	if err := touched.UnmarshalText(base64.StdEncoding.AppendEncode(nil, binary.AppendUvarint(b, 0))); err != nil {
		t.Fatal(err)
	}
	return &touched
}

// TestUsedObjectsOfEvenAccess: only verbose reports have what is said of uneven access.
func TestUsedObjectsOfEvenAccess(t *testing.T) {
	ops := slices.Repeat([]uint64{4}, 100)
	for hottest, want := range map[uint64]bool{4: false, 10: false, 40: true} {
		for i := range 10 {
			ops[i] = hottest
		}
		r := &textReport{printer: newPrinter(false, 0)}
		r.used(&aggregate.Group{Touched: touchedOf(t, ops...)})
		if got := r.buf.Len() > 0; got != want {
			t.Errorf("hottest objects used %d times: %q", hottest, r.buf.String())
		}
	}
}

// TestUsedObjects: there is no empty list where there are too few objects for shares of them.
func TestUsedObjects(t *testing.T) {
	for n, want := range map[int]string{
		5:   "\nObjects used: 5, 5KiB, 4.0 times each\n",
		10:  "\nObjects used: 10, 10KiB, 4.0 times each:\n * Hottest 10%: 10.0% of operations\n",
		100: "\nObjects used: 100, 100KiB, 4.0 times each:\n * Hottest 1%: 1.0% of operations, Hottest 10%: 10.0% of operations\n",
	} {
		ops := make([]uint64, n)
		for i := range ops {
			ops[i] = 4
		}
		r := &textReport{printer: newPrinter(false, 0), o: TextOptions{Verbose: true}}
		r.used(&aggregate.Group{Touched: touchedOf(t, ops...)})
		if got := r.buf.String(); got != want {
			t.Errorf("%d objects: %q, want %q", n, got, strings.TrimSpace(want))
		}
	}
}
