package model

import (
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"

	"warp/pkg/op"
)

// upstreamHeader names the columns of MinIO warp's recordings.
const upstreamHeader = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror" +
	"\tstart\tfirst_byte\tlast_byte\tend\tduration_ns\tcat\n"

// Upstream writes the run as a recording as MinIO warp makes them: its columns, one single zstd frame, by start.
func (r Run) Upstream(w io.Writer) (*Truth, error) {
	enc, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(8<<20))
	if err != nil {
		return nil, err
	}
	r.ByStart = true
	u := &upstreamWriter{out: enc, buf: []byte(upstreamHeader)}
	truth, err := r.Write(u)
	return truth, errors.Join(err, u.Close(), enc.Close())
}

// upstreamWriter is an op.Sink that writes rows. Texts must need no quotes.
type upstreamWriter struct {
	out  io.Writer
	buf  []byte
	rows int
}

// Write writes rows.
func (u *upstreamWriter) Write(ops []op.Op) error {
	for i := range ops {
		u.append(&ops[i])
	}
	if len(u.buf) < 1<<16 {
		return nil
	}
	_, err := u.out.Write(u.buf)
	u.buf = u.buf[:0]
	return err
}

// Close writes the command line, with which such a recording ends.
func (u *upstreamWriter) Close() error {
	_, err := u.out.Write(append(u.buf, "# warp mixed --full\n"...))
	return err
}

func (u *upstreamWriter) append(o *op.Op) {
	number := func(n int64) { u.buf = append(strconv.AppendInt(u.buf, n, 10), '\t') }
	text := func(s string) { u.buf = append(append(u.buf, s...), '\t') }
	stamp := func(t time.Time) {
		if !t.IsZero() {
			u.buf = t.AppendFormat(u.buf, time.RFC3339Nano)
		}
		u.buf = append(u.buf, '\t')
	}
	number(int64(u.rows))
	number(int64(o.Thread))
	text(string(o.Kind))
	text(o.Client)
	number(int64(o.Objects))
	number(o.Bytes)
	text(o.Endpoint)
	text(o.Key)
	text(o.Err)
	stamp(o.Start)
	if o.Kind != op.Get && o.Kind != op.List {
		o.FirstByte = time.Time{} // it has that of nothing else
	}
	stamp(o.FirstByte)
	stamp(o.Sent)
	stamp(o.End)
	number(int64(o.Service()))
	u.buf = append(u.buf, "0\n"...)
	u.rows++
}
