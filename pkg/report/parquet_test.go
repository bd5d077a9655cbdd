package report

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"warp/pkg/op"
	"warp/pkg/recording"
)

// recordingOf returns a recording of operations.
func recordingOf(t *testing.T, name string, ops []op.Op) recording.Input {
	t.Helper()
	var file bytes.Buffer
	w, err := recording.NewWriter(&file, recording.Header{Buckets: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(ops); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return recording.Input{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file.Bytes())), nil }}
}

// TestParquet writes operations of two clients with the same id and reads them back.
func TestParquet(t *testing.T) {
	at := time.Date(2026, 11, 23, 10, 0, 0, 123456789, time.UTC)
	ops := []op.Op{
		{
			Kind: op.Get, Phase: "read", Client: "Xk3f", Thread: 3, Start: at.Add(time.Second), FirstByte: at.Add(time.Second + time.Millisecond), End: at.Add(time.Second + 5*time.Millisecond), Bytes: 4096, Objects: 1, Status: 200, Endpoint: "http://a:1", Bucket: "b-1", Key: "k",
			Arrived: at.Add(time.Second + 4*time.Millisecond), Resent: 1,
		},
		{Kind: op.Stat, OwnLate: 3 * time.Microsecond, Phase: "read", Client: "Xk3f", Due: at, Start: at.Add(2 * time.Millisecond), End: at.Add(7 * time.Millisecond), Objects: 1, Status: 503, Endpoint: "http://b:1", Err: "503 SlowDown: slower"},
	}
	var file bytes.Buffer
	if err := Parquet(&file, []recording.Input{recordingOf(t, "one", ops), recordingOf(t, "two", ops[:1])}); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[parquetRow](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	ttfb, unread, class := int64(time.Millisecond), int64(time.Millisecond), int64(1<<10)
	want := []parquetRow{
		{Start: ops[1].Start.UnixNano(), Duration: 5e6, Wait: 2e6, OwnLate: 3000, Objects: 1, Op: "STAT", Phase: "read", Host: "http://b:1", Client: "Xk3f", Status: 503, Error: "503 SlowDown", Late: true},
		{Start: ops[0].Start.UnixNano(), Duration: 5e6, FirstByte: &ttfb, Unread: &unread, Resent: 1, Bytes: 4096, SizeClass: &class, Objects: 1, Op: "GET", Phase: "read", Host: "http://a:1", Bucket: "b-1", Client: "Xk3f", Thread: 3, Status: 200},
	}
	for i := range want {
		got := rows[i]
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("row %d is\n%+v\nwant\n%+v", i, got, want[i])
		}
	}
	if rows[2].Client == rows[1].Client || !strings.HasPrefix(rows[2].Client, "Xk3f") {
		t.Errorf("clients %q and %q", rows[1].Client, rows[2].Client)
	}
}

// TestParquetOfManyRows writes more rows than a group has: all are there, and each group is in order.
func TestParquetOfManyRows(t *testing.T) {
	at := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	ops := make([]op.Op, parquetGroup+1000)
	for i := range ops {
		start := at.Add(time.Duration(i^7) * time.Millisecond)
		ops[i] = op.Op{Kind: op.Get, Client: "Xk3f", Start: start, End: start.Add(time.Millisecond), Bytes: int64(i), Objects: 1, Status: 200, Endpoint: "http://a:1"}
	}
	var file bytes.Buffer
	if err := Parquet(&file, []recording.Input{recordingOf(t, "one", ops)}); err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || f.NumRows() != int64(len(ops)) || len(f.RowGroups()) != 2 {
		t.Fatalf("%d rows in %d groups: %v", f.NumRows(), len(f.RowGroups()), err)
	}
	rows, err := parquet.Read[parquetRow](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	sorted := func(rows []parquetRow) bool {
		return slices.IsSortedFunc(rows, func(a, b parquetRow) int { return int(a.Start - b.Start) })
	}
	if !sorted(rows[:parquetGroup]) || !sorted(rows[parquetGroup:]) {
		t.Error("a group is not in order")
	}
	var sum int64
	for i := range rows {
		sum += rows[i].Bytes
	}
	if n := int64(len(ops)); sum != n*(n-1)/2 {
		t.Errorf("%d bytes", sum)
	}
}
