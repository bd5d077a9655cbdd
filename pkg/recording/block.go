package recording

import "warp/pkg/op"

// block is some rows of a recording on their way from the text to whoever reads: the splitter puts in rows, a parser
// turns them into operations, the Reader hands these out in order.
type block struct {
	text   []byte // what the rows lie in
	rows   []row
	ops    []op.Op // by row; those of other rows mean nothing
	layout *layout
	parsed chan struct{} // gets one value when the parser is done
}

// row is one row, or a line that stands between rows.
type row struct {
	text []byte
	line int // in which it begins
	sort rowSort
	bare bool  // without quotes
	err  error // of a rowBad
}

type rowSort uint8

const (
	rowOp      rowSort = iota
	rowBad             // a value is none, or their number is wrong
	rowCut             // the last one, of which a part is missing
	rowLast            // the last one without a line break: whole only if it can be read; only until it is parsed
	rowLong            // longer than MaxRow
	rowComment         // begins with #
	rowHeader          // names the columns of the rows that follow
)

func newBlock() *block { return &block{parsed: make(chan struct{}, 1)} }

// parse turns the rows into operations.
func (b *block) parse(p *rowParser) {
	if cap(b.ops) < len(b.rows) {
		b.ops = make([]op.Op, len(b.rows), max(len(b.rows), cap(b.rows)))
	}
	b.ops = b.ops[:len(b.rows)]
	p.layout = b.layout
	for i := range b.rows {
		r := &b.rows[i]
		if r.sort != rowOp && r.sort != rowLast {
			continue
		}
		if r.bare && p.quick(r.text, &b.ops[i]) {
			r.sort = rowOp
			continue
		}
		err := p.parse(r.text, &b.ops[i])
		switch {
		case err == nil:
			r.sort = rowOp
		case r.sort == rowLast:
			r.sort = rowCut
		default:
			r.sort, r.err = rowBad, err
		}
	}
}

// reset makes the block empty; what it holds is used again.
func (b *block) reset() {
	clear(b.rows)
	b.rows = b.rows[:0]
	b.layout = nil
}
