package workload

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

// firstColumn is the default query. Its result is known: an eighth of an object that warp uploaded.
const firstColumn = "SELECT s._1 FROM S3Object s"

var selectInfo = work.Info{
	Name:  "select",
	Usage: "run SQL queries on objects (SelectObjectContent)",
	Description: "Uploads --objects objects of CSV, then performs a query on one object a turn, in get's order. Bytes " +
		"are the size of the result. The default query returns the first of 8 columns, an eighth of each object, and the size is " +
		"checked. The result of another --query, or of --list-existing, is not known: the response must be complete, with right " +
		"checksums and the size that the server states.",
	Size:    "10MiB",
	Example: "--objects=100 --obj.size=1MiB --duration=1m",
	New:     func() work.Workload { return &Select{} },
}

var selectShare = companion{
	workload: "select",
	shares:   []companionShare{{"select", "SQL queries on --objects additional objects of CSV"}},
	make: func(m *Mixed) work.Workload {
		s := defaults(&Select{})
		s.Objects, s.Verify = m.Objects, m.Verify
		return s
	},
}

// Select performs an SQL query on objects of CSV.
type Select struct {
	work.Prepared
	work.Existing
	Picks
	Query  string `json:"query"`
	Verify bool   `json:"verify,omitempty"`

	threads []selection // by thread
}

// selection is what a thread reuses.
type selection struct {
	query *ops.Query
	check column
}

// Flags binds the parameters.
func (s *Select) Flags(fs *flag.FlagSet) {
	s.Prepared.Bind(fs, 2500, work.OrExisting)
	s.Existing.Bind(fs)
	s.Picks.Bind(fs, DefaultAccess)
	fs.StringVar(&s.Query, "query", firstColumn, "`SQL` query on each object")
	fs.BoolVar(&s.Verify, "verify", false, "compare every byte of the result with the upload")
}

// known reports whether the result follows from the plan.
func (s *Select) known() bool { return s.Query == firstColumn && !s.ListExisting }

// Validate checks the parameters.
func (s *Select) Validate(_ work.Load, data generator.Spec) []error {
	errs := append(s.Prepared.CheckExisting(s.ListExisting), s.Picks.Check(s.Objects, s.ListExisting)...)
	if s.Query == "" {
		errs = append(errs, option.Invalid("query", s.Query, "an SQL expression"))
	}
	if s.Verify && !s.known() {
		errs = append(errs, option.Errorf("verify", "only the result of the default query on objects of the run is known; leave it out"))
	}
	if !data.Plain() {
		errs = append(errs, option.Errorf("obj.content",
			"select uploads rows of CSV; leave it out, or query your own objects by --list-existing"))
	}
	return errs
}

// Traits declares that objects are only read.
func (s *Select) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Reads,
		Records: work.Records{Kinds: []op.Kind{op.Select}},
		Data:    work.Data{Objects: s.Objects, Existing: s.ListExisting, Flat: s.ListFlat, Checks: s.Verify, Rewrites: true},
		Use:     work.Use{Access: s.Access, Picks: true, Pass: work.EachObject},
		Sends:   work.Sends{Demands: work.NewDemands(probe.Select)},
		Sharing: work.Sharing{Shares: true},
	}
}

// Upload uploads object i.
func (s *Select) Upload(ctx context.Context, w *work.Worker, i uint64) error {
	o := w.Set.Object(i)
	return w.PutAs(ctx, o, &rows{w.Body(i, o.Size)})
}

// EstimateUpload returns the cost of uploads.
func (s *Select) EstimateUpload(t work.Turns) (c work.Cost) {
	c.Upload(op.Put, t)
	return c
}

// Contents returns the contents of objects.
func (s *Select) Contents(l *dataset.Layout) (open work.OpenContents, sized bool) {
	return func(i uint64) (io.ReaderAt, int64, error) {
		r := &rows{l.Body()}
		r.Reset(i, l.Size(i))
		return r, r.Size(), nil
	}, true
}

// Estimate returns the cost of queries. Of an unknown result, nothing is known but that it is hardly larger than the object.
func (s *Select) Estimate(t work.Turns) (c work.Cost) {
	c.Request(op.Select, t.Count)
	c.Received = t.Size()
	if s.known() {
		c.Received = int64(t.Mean(func(size int64, _ uint64) float64 { return float64(columnSize(size)) }))
	}
	return c
}

// Prepare makes the query of each thread.
func (s *Select) Prepare(_ *dataset.DataSet, threads int) error {
	s.threads = make([]selection, threads)
	for i := range s.threads {
		s.threads[i].query = ops.NewQuery(s.Query)
	}
	return nil
}

// Examine performs the query once: a mistake in it, or a server that returns something else, is found before anything is measured.
func (s *Select) Examine(ctx context.Context, sess s3.Session, set *dataset.DataSet, _ string) error {
	o := set.At(0)
	err := work.RetryTemporary(ctx, func() error {
		return s.query(ctx, sess, &s3.Call{Bucket: o.Bucket, Key: o.Key}, &o, &selection{query: ops.NewQuery(s.Query)})
	})
	if err != nil {
		return fmt.Errorf("query %q: %w", o.Key, err)
	}
	return nil
}

// Do performs the query on one object.
func (s *Select) Do(ctx context.Context, w *work.Worker) error {
	o := w.Pick()
	return w.Op(ctx, op.Select, func(rec *op.Op) error {
		c := w.Object(o, rec)
		err := s.query(ctx, w.S3, c, &o, &s.threads[w.ID])
		rec.Bytes = c.Bytes
		return err
	})
}

// query performs the query on an object, and checks its result.
func (s *Select) query(ctx context.Context, sess s3.Session, c *s3.Call, o *dataset.Object, t *selection) error {
	if s.Verify {
		t.check = column{size: o.Size, wrong: -1}
		c.Into = &t.check
	}
	err := ops.Select(ctx, sess, c, t.query)
	if err != nil || !s.known() {
		return err
	}
	if want := columnSize(o.Size); c.Bytes != want {
		return s3.Errorf(s3.ClassWrongLength, c.Status, "expected %d bytes of the first column, got %d", want, c.Bytes)
	}
	if s.Verify && t.check.wrong >= 0 {
		const text = "byte %d of the first column of %q is not what was uploaded"
		return &s3.Error{Class: "wrong content", Status: c.Status, Message: fmt.Sprintf(text, t.check.wrong, o.Key)}
	}
	return nil
}

// Contents of objects: rows of columns of the same width. The first column is the number of the row; others are random. The last row ends
// where the object does.
const (
	columns  = 8
	cell     = 16 // bytes of a column, with the character after it
	rowBytes = columns * cell
	alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
)

// rows is the contents of an object as CSV.
type rows struct{ *generator.Body }

// ReadAt reads from offset off.
func (r *rows) ReadAt(p []byte, off int64) (n int, err error) {
	n, err = r.Body.ReadAt(p, off)
	for rest := p[:n]; len(rest) > 0; {
		at := int(off % cell)
		part := rest[:min(cell-at, len(rest))]
		if off%rowBytes < cell {
			first := firstCell(off / rowBytes)
			copy(part, first[at:])
		} else {
			for i, b := range part {
				part[i] = alphabet[b%byte(len(alphabet))]
			}
		}
		if at+len(part) == cell {
			part[len(part)-1] = ','
			if (off+int64(len(part)))%rowBytes == 0 {
				part[len(part)-1] = '\n'
			}
		}
		rest, off = rest[len(part):], off+int64(len(part))
	}
	return n, err
}

// firstCell returns the first column of a row and the end of its line.
func firstCell(row int64) (text [cell]byte) {
	var digits [cell]byte
	number := strconv.AppendInt(digits[:0], row, 10)
	for i := range text[:cell-1] {
		text[i] = '0'
	}
	copy(text[cell-1-len(number):], number)
	text[cell-1] = '\n'
	return text
}

// columnSize returns the size of the first column of an object, one line for each row.
func columnSize(size int64) int64 {
	n := size / rowBytes * cell
	if rest := size % rowBytes; rest > 0 {
		n += min(rest, cell-1) + 1
	}
	return n
}

// column compares what is written to it with the first column of an object. It accepts everything, and does not know the end.
type column struct {
	size  int64 // of the object
	pos   int64
	wrong int64 // offset of the first wrong byte; -1: none so far
}

// Write compares the next bytes. It never fails.
func (c *column) Write(p []byte) (int, error) {
	taken := len(p)
	for len(p) > 0 && c.wrong < 0 {
		row, at := c.pos/cell, int(c.pos%cell)
		want := firstCell(row)
		if rest := c.size - row*rowBytes; rest < cell-1 { // the last row
			want[max(0, rest)] = '\n'
		}
		n := min(cell-at, len(p))
		if !bytes.Equal(p[:n], want[at:at+n]) {
			c.wrong = c.pos
			for p[c.wrong-c.pos] == want[at+int(c.wrong-c.pos)] {
				c.wrong++
			}
		}
		p, c.pos = p[n:], c.pos+int64(n)
	}
	return taken, nil
}
