package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// parquetRow is an operation in a Parquet file, described in docs/reference/parquet.md. Text that repeats is in dictionaries.
type parquetRow struct {
	Start     int64  `parquet:"start_ns,delta"` // Unix time
	Duration  int64  `parquet:"dur_ns"`
	Wait      int64  `parquet:"wait_ns"`            // from when it was due until it began
	OwnLate   int64  `parquet:"own_late_ns"`        // the part of it that the client caused
	Unread    *int64 `parquet:"unread_ns,optional"` // null: it is not known
	FirstByte *int64 `parquet:"ttfb_ns,optional"`   // null: none, or it is not known
	Bytes     int64  `parquet:"bytes"`
	SizeClass *int64 `parquet:"size_class,optional"` // lower bound in bytes, as in aggregate.SizeFrom; null: this kind has no sizes
	Objects   int32  `parquet:"objects"`
	Op        string `parquet:"op,dict"`
	Phase     string `parquet:"phase,dict"`
	Host      string `parquet:"host,dict"`
	Bucket    string `parquet:"bucket,dict"`
	Client    string `parquet:"client,dict"`
	Thread    int32  `parquet:"thread"`
	Status    int32  `parquet:"status"`     // 0: there was no response
	Error     string `parquet:"error,dict"` // class; empty: it succeeded
	Resent    int32  `parquet:"resent"`
	Late      bool   `parquet:"late"`  // it began more than 1 ms after it was due
	Whole     bool   `parquet:"whole"` // of other operations in the file, which no total counts twice
}

// parquetGroup is the number of rows that are sorted by their start, in memory.
const parquetGroup = 1 << 17

// Parquet writes a row for each operation of recordings, to w. Memory does not depend on their length.
func Parquet(w io.Writer, inputs []recording.Input) error {
	out := parquet.NewGenericWriter[parquetRow](w, parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.MaxRowsPerRowGroup(parquetGroup),
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("start_ns"))), parquet.CreatedBy("warp", "", ""))
	p := &parquetFile{out: out, rows: make([]parquetRow, 0, parquetGroup)}
	clients := new(recording.Clients)
	for i, in := range inputs {
		if err := p.add(in, func(client string) string { return clients.Name(i, client) }); err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	err := errors.Join(p.flush(), out.Close())
	if err != nil {
		return fmt.Errorf("write operations as Parquet: %w", err)
	}
	return nil
}

// parquetFile is a file being written.
type parquetFile struct {
	out  *parquet.GenericWriter[parquetRow]
	rows []parquetRow
	text map[string]string // texts of rows, which are parts of the reader's buffers
}

// add adds the operations of a recording.
func (p *parquetFile) add(in recording.Input, client func(string) string) (err error) {
	r, err := in.Reader()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for r.Scan() {
		p.rows = append(p.rows, p.row(r.Op(), client))
		if len(p.rows) == parquetGroup {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	return r.Err()
}

// row returns an operation as a row.
func (p *parquetFile) row(o *op.Op, client func(string) string) parquetRow {
	row := parquetRow{
		Start:    o.Start.UnixNano(),
		Duration: int64(o.End.Sub(o.Start)),
		Bytes:    o.Bytes,
		Objects:  int32(o.Objects),
		Op:       p.keep(string(o.Kind)),
		Phase:    p.keep(o.Phase),
		Host:     p.keep(o.Endpoint),
		Bucket:   p.keep(o.Bucket),
		Client:   client(o.Client),
		Thread:   int32(o.Thread),
		Status:   int32(o.Status),
		Whole:    o.Kind.IsComposite(),
		OwnLate:  int64(o.OwnLate),
		Resent:   int32(o.Resent),
	}
	if ttfb, ok := o.TTFB(); ok {
		ns := int64(ttfb)
		row.FirstByte = &ns
	}
	if unread, known := o.Unread(); known {
		ns := int64(unread)
		row.Unread = &ns
	}
	if o.Kind.MovesBytes() {
		from := aggregate.SizeFrom(o.Bytes)
		row.SizeClass = &from
	}
	if !o.Due.IsZero() {
		row.Wait = int64(o.Start.Sub(o.Due))
		row.Late = time.Duration(row.Wait) > live.LateBy
	}
	if o.Failed() {
		row.Error = p.keep(op.Class(o.Err))
	}
	return row
}

// maxTexts is the maximum number of texts that are kept; no run has as many.
const maxTexts = 1 << 16

// keep returns a copy of a text that is shared by all rows.
func (p *parquetFile) keep(text string) string {
	if kept, ok := p.text[text]; ok {
		return kept
	}
	if p.text == nil || len(p.text) == maxTexts {
		p.text = make(map[string]string)
	}
	text = string([]byte(text))
	p.text[text] = text
	return text
}

// flush writes the rows, in order of their start, as a group.
func (p *parquetFile) flush() error {
	slices.SortStableFunc(p.rows, func(a, b parquetRow) int { return cmp.Compare(a.Start, b.Start) })
	_, err := p.out.Write(p.rows)
	p.rows = p.rows[:0]
	return errors.Join(err, p.out.Flush())
}
