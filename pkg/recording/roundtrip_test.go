package recording

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/pkg/op"
)

// oddTexts are hard to write down in a file of lines and columns.
var oddTexts = []string{
	"", " ", "\t", "\n", "\r", "\r\n", `"`, `""`, `"""`, "#", "# warp-recording: 1", "#\n#", `"#`, "\"\n", "\"\t", "a\"b",
	" leading", "\tleading", "trailing\t", "trailing\r", "trailing\n", "trailing\"", "\u00a0", "\u2028", "\ufeff", "a,b", "idx", "\\.", "\x00",
	"\xff", "\xc3", "\xff\n\xfe", "line 1\nline 2\r\nline 3", "\"quoted\"", "\"quoted\"\tand more", "\n# end: {}\n", "key/with/übung/日本.rnd",
}

// randomOp is any operation that a recording can hold.
func randomOp(rnd *rand.Rand) op.Op {
	text := func(usual ...string) string {
		switch rnd.IntN(4) {
		case 0:
			return oddTexts[rnd.IntN(len(oddTexts))]
		case 1:
			b := make([]byte, rnd.IntN(12))
			for i := range b {
				b[i] = "\t\n\r\"#a ,\xff"[rnd.IntN(9)]
			}
			return string(b)
		}
		return usual[rnd.IntN(len(usual))]
	}
	known := func() time.Time {
		if rnd.IntN(3) == 0 {
			return time.Time{}
		}
		return at(rnd.Int64N(int64(5 * time.Minute)))
	}
	o := op.Op{
		Kind: op.Kind(text("GET", "PUT", "TABLE_GET")), Phase: text("", op.PhasePrepare, "ramp up"), Client: text("DF11", "x8Zk2a"), Thread: rnd.Uint32(),
		Due: known(), Start: at(rnd.Int64N(1e12)), FirstByte: known(), Sent: known(), End: at(rnd.Int64N(1e12)),
		Bytes: rnd.Int64N(math.MaxInt64) - rnd.Int64N(100), Objects: rnd.IntN(2000) - 1, Status: rnd.IntN(600), Retries: rnd.IntN(3), Cat: rnd.Uint32(),
		Endpoint: text("http://127.0.0.1:9000", "https://[::1]:9000"), Key: text("MP9bhgIe/1.rnd", "a b"), Err: text("", "503 SlowDown: wait"),
		OwnLate: time.Duration(rnd.IntN(2)) * time.Duration(rnd.Int64N(1e12)), Resent: rnd.IntN(3),
	}
	if rnd.IntN(2) == 0 {
		o.Arrived = o.End.Add(-time.Duration(rnd.Int64N(1e9) * rnd.Int64N(2)))
	}
	return o
}

func randomOps(seed uint64, n int) []op.Op {
	rnd := rand.New(rand.NewPCG(seed, 0))
	ops := make([]op.Op, n)
	for i := range ops {
		ops[i] = randomOp(rnd)
	}
	return ops
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(20) {
		ops := randomOps(seed, 500)
		got, r := readAll(t, record(t, sampleHeader, int(seed)*10, ops...))
		noWarnings(t, r)
		sameOps(t, got, ops)
	}
}

// A clock that is not exact may have a response arrive after the client read it: then it lay unread for no time.
func TestArrivalAfterTheEnd(t *testing.T) {
	got, r := readAll(t, record(t, sampleHeader, 0, op.Op{Kind: op.Get, Start: at(0), Arrived: at(1001), End: at(1000)}))
	noWarnings(t, r)
	if unread, known := got[0].Unread(); !known || unread != 0 || !got[0].Arrived.Equal(got[0].End) {
		t.Errorf("unread %v, %v; arrived %v, ended %v", unread, known, got[0].Arrived, got[0].End)
	}
}

func TestRoundTripOfOddTexts(t *testing.T) {
	var ops []op.Op
	for _, s := range oddTexts {
		ops = append(ops, op.Op{Kind: op.Kind(s), Phase: s, Client: s, Endpoint: s, Key: s, Err: s, Start: at(0), End: at(1)})
	}
	got, r := readAll(t, record(t, sampleHeader, 0, ops...))
	noWarnings(t, r)
	sameOps(t, got, ops)
}

func TestRoundTripOfComments(t *testing.T) {
	_, r := readAll(t, record(t, sampleHeader, 0, sampleOps()...))
	noWarnings(t, r)
	h := r.Header()
	if h.Version != Version || string(h.Config) != `{"seed":42}` || h.CommandLine != sampleHeader.CommandLine {
		t.Errorf("header: version %d, configuration %s, command line %q", h.Version, h.Config, h.CommandLine)
	}
	if string(r.End()) != "{}" {
		t.Errorf("end: %s, want {}", r.End())
	}
}

// MinIO warp reads recordings in this way: encoding/csv, columns by name. What it finds must be what was
// measured, and extra columns must not disturb it. (It drops the CR of a CR LF in texts, so those are left out.)
func TestEstablishedReaderFindsTheSameValues(t *testing.T) {
	var ops []op.Op
	for _, o := range randomOps(99, 2000) {
		if !strings.Contains(string(o.Kind)+o.Client+o.Endpoint+o.Key+o.Err+o.Phase, "\r\n") {
			ops = append(ops, o)
		}
	}
	c := csv.NewReader(strings.NewReader(decompress(t, record(t, sampleHeader, 100, ops...))))
	c.Comma, c.Comment, c.ReuseRecord = '\t', '#', true
	names, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	index := map[string]int{}
	for i, name := range names {
		index[name] = i
	}
	for i, o := range ops {
		row, err := c.Read()
		if err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
		kind := string(o.Kind)
		if o.Phase == op.PhasePrepare {
			kind = "PREPARE_" + kind
		}
		for name, want := range map[string]string{
			"idx": strconv.Itoa(i), "thread": strconv.FormatUint(uint64(o.Thread), 10), "op": kind, "client_id": o.Client,
			"n_objects": strconv.Itoa(o.Objects), "bytes": strconv.FormatInt(o.Bytes, 10), "endpoint": o.Endpoint, "file": o.Key, "error": o.Err,
			"start": stampText(o.Start), "first_byte": stampText(o.FirstByte), "last_byte": stampText(o.Sent), "end": stampText(o.End),
			"duration_ns": strconv.FormatInt(int64(o.End.Sub(o.Start)), 10), "cat": strconv.FormatUint(uint64(o.Cat), 10),
			"own_late_ns": notZero(int64(o.OwnLate)), "unread_ns": unreadText(&o), "resent": notZero(int64(o.Resent)),
			"due": stampText(o.Due), "status": strconv.Itoa(o.Status), "retries": strconv.Itoa(o.Retries), "phase": o.Phase,
		} {
			if got := row[index[name]]; got != want {
				t.Fatalf("row %d, column %s: %q, want %q", i, name, got, want)
			}
		}
	}
	if _, err := c.Read(); err != io.EOF {
		t.Errorf("behind the last row: %v", err)
	}
}

// notZero is a number as the format has it where 0 is the rule.
func notZero(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// unreadText is how long a response lay unread, which may be 0.
func unreadText(o *op.Op) string {
	if o.Arrived.IsZero() {
		return ""
	}
	return strconv.FormatInt(int64(o.End.Sub(o.Arrived)), 10)
}

// stampText is a time as the format asks for it: empty if unknown.
func stampText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

func TestEndIsKept(t *testing.T) {
	var b strings.Builder
	w, err := NewWriter(&b, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.SetEnd(struct{ Done int }{7}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, r := readAll(t, []byte(b.String()))
	noWarnings(t, r)
	var end struct{ Done int }
	if err := json.Unmarshal(r.End(), &end); err != nil || end.Done != 7 {
		t.Errorf("end %s: %v", r.End(), err)
	}
}
