package recording

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"warp/pkg/op"
)

// benchOps are operations as they occur in practice: distinct keys and times, two kinds, hosts and threads mixed.
func benchOps() []op.Op {
	ops := make([]op.Op, 10000)
	for i := range ops {
		start := int64(i) * 137_911
		o := op.Op{
			Kind: op.Get, Client: "DF11", Thread: uint32(i * 7 % 20), Start: at(start), FirstByte: at(start + 812_377 + int64(i*7919%5000)),
			End: at(start + 1_293_841 + int64(i*104729%90000)), Bytes: 16384, Objects: 1, Status: 200,
			Endpoint: "http://127.0.0.1:9000", Key: fmt.Sprintf("a%07x/%d.%016x.rnd", i*40503%300, i, uint64(i)*0x9e3779b97f4a7c15),
		}
		o.Arrived = o.End.Add(-time.Duration(9_000 + i*7907%40_000))
		if i%4 == 0 {
			o.Kind, o.Sent, o.Endpoint = op.Put, at(start+300_211), "http://127.0.0.1:9001"
		}
		ops[i] = o
	}
	return ops
}

// benchFile is a recording of MinIO warp if there is one, else one of ours.
func benchFile(b *testing.B) []byte {
	if data, err := os.ReadFile("../../../shared/recordings/upstream-get.csv.zst"); err == nil {
		return data
	}
	return record(b, Header{}, 0, benchOps()...)
}

// BenchmarkReader reads a whole recording: compressed as it is, and its text alone; and the text of one of ours.
func BenchmarkReader(b *testing.B) {
	data := benchFile(b)
	ours := []byte(decompress(b, record(b, Header{}, 0, benchOps()...)))
	for name, data := range map[string][]byte{"zstd": data, "text": []byte(decompress(b, data)), "ours": ours} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(data), "bench")
				if err != nil {
					b.Fatal(err)
				}
				for r.Scan() {
					rows++
				}
				if r.Err() != nil || r.Close() != nil {
					b.Fatal(r.Err())
				}
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkWriter writes one row per iteration, compression included.
func BenchmarkWriter(b *testing.B) {
	ops := benchOps()
	w, err := NewWriter(discard{}, Header{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n := i % len(ops)
		if err := w.Write(ops[n : n+1]); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRow is the part of BenchmarkWriter without compression.
func BenchmarkRow(b *testing.B) {
	ops := benchOps()
	var rows rowWriter
	var buf []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		buf = rows.append(buf[:0], &ops[i%len(ops)])
	}
}

// BenchmarkLevel is why Writer compresses as it does: nanoseconds and bytes for each row.
func BenchmarkLevel(b *testing.B) {
	ops := benchOps()
	var rows rowWriter
	var text []byte
	for i := range ops {
		text = rows.append(text, &ops[i])
	}
	for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBetterCompression} {
		for _, frame := range []int{64 << 10, frameText} {
			b.Run(fmt.Sprintf("%v/%dKiB", level, frame>>10), func(b *testing.B) {
				enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level), zstd.WithWindowSize(frameText))
				if err != nil {
					b.Fatal(err)
				}
				var out []byte
				size, passes := 0, 0
				for b.Loop() {
					size = 0
					for rest := text; len(rest) > 0; {
						n := min(frame, len(rest))
						out = enc.EncodeAll(rest[:n], out[:0])
						size += len(out)
						rest = rest[n:]
					}
					passes++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(passes*len(ops)), "ns/row")
				b.ReportMetric(float64(size)/float64(len(ops)), "B/row")
			})
		}
	}
}

// BenchmarkCollectorAdd is what an operation costs a worker: alone with a sink that does nothing, and with the others
// on all processors with a recording behind them.
func BenchmarkCollectorAdd(b *testing.B) {
	ops := benchOps()
	b.Run("alone", func(b *testing.B) {
		c := op.NewCollector(nullSink{})
		buf := c.Worker()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			buf.Add(&ops[i%len(ops)])
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("recording", func(b *testing.B) {
		w, err := NewWriter(discard{}, Header{})
		if err != nil {
			b.Fatal(err)
		}
		c := op.NewCollector(w)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			buf := c.Worker()
			for i := 0; pb.Next(); i++ {
				buf.Add(&ops[i%len(ops)])
			}
		})
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
		n, waited := c.Stalls()
		b.ReportMetric(float64(n)/float64(b.N), "stalls/op")
		b.ReportMetric(float64(waited.Nanoseconds())/float64(b.N), "stalled-ns/op")
	})
}

// nullSink takes operations and does nothing.
type nullSink struct{}

func (nullSink) Write([]op.Op) error { return nil }
func (nullSink) Close() error        { return nil }
