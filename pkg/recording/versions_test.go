package recording

import (
	"strings"
	"testing"
	"time"

	"warp/pkg/op"
)

func TestReaderReadsEveryVersion(t *testing.T) {
	start, first, last, end := at(0), at(300), at(100), at(1000)
	base := op.Op{Kind: op.Put, Thread: 7, Start: start, End: end, Bytes: 42, Objects: 1, Key: "some/key", Err: "boom"}
	with := func(change func(o *op.Op)) op.Op {
		o := base
		change(&o)
		return o
	}
	tests := []struct {
		name, header, row string
		want              op.Op
	}{
		{"2019-11-07, commas", "idx,thread,op,bytes,file,error,start,end,duration_ms", "0,7,OP,42,some/key,boom,S,E,1", base},
		{"2019-11-07, nanoseconds", "idx,thread,op,bytes,file,error,start,end,duration_ns", "0,7,OP,42,some/key,boom,S,E,1000", base},
		{"2019-11-11, tabs", "idx thread op bytes file error start end duration_ns", "0 7 OP 42 some/key boom S E 1000", base},
		{
			"2019-11-13", "idx thread op n_objects bytes file error start first_byte end duration_ns", "0 7 OP 9 42 some/key boom S F E 1000",
			with(func(o *op.Op) { o.Objects, o.FirstByte = 9, first }),
		},
		{
			"2019-11-18", "idx thread run_id op n_objects bytes file error start first_byte end duration_ns", "0 7 abc OP 9 42 some/key boom S F E 1000",
			with(func(o *op.Op) { o.Objects, o.FirstByte = 9, first }),
		},
		{
			"2019-12-07", "idx thread op n_objects bytes endpoint file error start first_byte end duration_ns", "0 7 OP 9 42 http://h:1 some/key boom S _ E 1000",
			with(func(o *op.Op) { o.Objects, o.Endpoint = 9, "http://h:1" }),
		},
		{
			"v0.1.0", "idx thread op client_id n_objects bytes endpoint file error start first_byte end duration_ns", "0 7 OP c1 9 42 http://h:1 some/key boom S _ E 1000",
			with(func(o *op.Op) { o.Objects, o.Endpoint, o.Client = 9, "http://h:1", "c1" }),
		},
		{
			"v1.1.0", "idx thread op client_id n_objects bytes endpoint file error start first_byte end duration_ns cat", "0 7 OP c1 9 42 http://h:1 some/key boom S _ E 1000 2",
			with(func(o *op.Op) { o.Objects, o.Endpoint, o.Client, o.Cat = 9, "http://h:1", "c1", 2 }),
		},
		{
			"v1.4.0, large thread ids", "idx thread op client_id n_objects bytes endpoint file error start first_byte end duration_ns cat", "0 4294967295 OP c1 9 42 http://h:1 some/key boom S _ E 1000 0",
			with(func(o *op.Op) { o.Objects, o.Endpoint, o.Client, o.Thread = 9, "http://h:1", "c1", 4294967295 }),
		},
		{
			"v1.5.0", "idx thread op client_id n_objects bytes endpoint file error start first_byte last_byte end duration_ns cat", "0 7 OP c1 9 42 http://h:1 some/key boom S F L E 1000 0",
			with(func(o *op.Op) {
				o.Objects, o.Endpoint, o.Client, o.FirstByte, o.Sent = 9, "http://h:1", "c1", first, last
			}),
		},
		{
			"ours", "idx thread op client_id n_objects bytes endpoint file error start first_byte last_byte end duration_ns cat due status retries phase", "0 7 OP c1 9 42 http://h:1 some/key boom S F L E 1000 0 S 503 2 prepare",
			with(func(o *op.Op) {
				o.Objects, o.Endpoint, o.Client, o.FirstByte, o.Sent = 9, "http://h:1", "c1", first, last
				o.Due, o.Status, o.Retries, o.Phase = start, 503, 2, op.PhasePrepare
			}),
		},
		{
			"ours, with the client's own part, in another order",
			"idx unread_ns own_late_ns thread op client_id n_objects bytes endpoint file error start first_byte last_byte end duration_ns cat due status retries phase resent",
			"0 300 200 7 OP c1 9 42 http://h:1 some/key boom S F L E 1000 0 S 503 2 prepare 1",
			with(func(o *op.Op) {
				o.Objects, o.Endpoint, o.Client, o.FirstByte, o.Sent = 9, "http://h:1", "c1", first, last
				o.Due, o.Status, o.Retries, o.Phase = start, 503, 2, op.PhasePrepare
				o.OwnLate, o.Arrived, o.Resent = 200, at(700), 1
			}),
		},
		{
			"ours, without it",
			"thread op bytes file error start end due phase own_late_ns unread_ns resent", "7 OP 42 some/key boom S E _ _ _ _ _", base,
		},
		{"other columns, other order", "end new start error bytes op thread", "E x S boom 42 OP 7", with(func(o *op.Op) { o.Key = "" })},
	}
	for _, tt := range tests {
		for _, zone := range []*time.Location{time.UTC, time.FixedZone("", -7*3600)} {
			for _, eol := range []string{"\n", "\r\n"} {
				values := strings.NewReplacer("S", start.In(zone).Format(time.RFC3339Nano), "E", end.In(zone).Format(time.RFC3339Nano),
					"F", first.In(zone).Format(time.RFC3339Nano), "L", last.In(zone).Format(time.RFC3339Nano), "OP", "PUT", " ", "\t", "_", "")
				text := strings.ReplaceAll(tt.header, " ", "\t") + eol + strings.Repeat(values.Replace(tt.row)+eol, 2) + "# warp put --x=\"y" + eol
				for _, data := range [][]byte{[]byte(text), compress(t, text)} {
					ops, r := readAll(t, data)
					noWarnings(t, r)
					sameOps(t, ops, []op.Op{tt.want, tt.want})
					if h := r.Header(); h.Version != 0 || h.CommandLine != `warp put --x="y` {
						t.Errorf("%s: version %d, command line %q", tt.name, h.Version, h.CommandLine)
					}
				}
			}
		}
	}
}
