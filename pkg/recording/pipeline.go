package recording

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"

	"warp/pkg/op"
)

// maxParsers is the maximum number of parsing goroutines. Four keep up with one that decompresses.
const maxParsers = 4

// pipeline reads a recording with several goroutines: one decompresses and splits the text into blocks of rows, some
// parse blocks, and the caller of Reader.Scan gets them back in file order, so the result is that of a single
// goroutine. The number of blocks is fixed, which bounds memory and read-ahead.
type pipeline struct {
	lines  *lineReader
	layout *layout
	keep   []string // columns; nil: all
	cur    *block   // being filled
	probe  rowParser

	free    chan *block // unused; buffered for all
	work    chan *block // to the parsers; buffered for all
	ordered chan *block // to the Reader, in order; buffered for all
	quit    chan struct{}
	wg      sync.WaitGroup
}

// startPipeline starts reading the rows of lines after the header line that gave l, with the given number of parsers;
// 0: as many as useful.
func startPipeline(lines *lineReader, l *layout, keep []string, parsers int) *pipeline {
	if parsers == 0 {
		parsers = min(runtime.GOMAXPROCS(0), maxParsers)
	}
	blocks := 3*parsers + 2
	p := &pipeline{
		lines: lines, keep: keep,
		free: make(chan *block, blocks), work: make(chan *block, blocks), ordered: make(chan *block, blocks),
		quit: make(chan struct{}),
	}
	p.cur = newBlock()
	for range blocks - 1 {
		p.free <- newBlock()
	}
	p.layout, p.cur.layout = l, l.only(keep)
	lines.sep, lines.flat, lines.swap = l.sep, l.flat(), p.swap
	p.wg.Add(1 + parsers)
	go p.split()
	for range parsers {
		go p.parse()
	}
	return p
}

// next returns the next block, parsed; nil at the end. It recycles the previous one.
func (p *pipeline) next(before *block) *block {
	if before != nil {
		before.reset()
		p.free <- before
	}
	b, ok := <-p.ordered
	if !ok {
		return nil
	}
	<-b.parsed
	return b
}

// stop ends the goroutines, and waits for a Read in progress.
func (p *pipeline) stop() {
	close(p.quit)
	p.wg.Wait()
}

// parse parses blocks until there are no more.
func (p *pipeline) parse() {
	defer p.wg.Done()
	var parser rowParser
	for b := range p.work {
		b.parse(&parser)
		b.parsed <- struct{}{}
	}
}

// split fills blocks until the text ends or reading is stopped.
func (p *pipeline) split() {
	defer p.wg.Done()
	defer close(p.ordered)
	defer close(p.work)
	for {
		line, ok := p.lines.next()
		switch {
		case p.cur == nil: // stopped
			return
		case !ok:
			p.send()
			return
		case p.lines.tooLong:
			p.add(nil, rowLong)
		case len(line) == 0:
		case line[0] == '#':
			p.addComment(line)
		case p.lines.unended:
			p.addLast(line)
		default:
			if l := p.header(line); l != nil {
				p.add(line, rowHeader)
				p.setLayout(l)
				continue
			}
			p.add(line, rowOp)
		}
	}
}

func (p *pipeline) add(text []byte, kind rowKind) {
	p.cur.rows = append(p.cur.rows, row{text: text, line: p.lines.number, kind: kind})
}

// addComment adds a comment line, or the row that it holds.
func (p *pipeline) addComment(line []byte) {
	row, whole := bytes.CutPrefix(line, wholeMark)
	switch {
	case !whole || !p.layout.byWriter:
		p.add(line, rowComment)
	case p.lines.unended:
		p.addLast(row)
	default:
		p.add(row, rowOp)
	}
}

var wholeMark = []byte(markWhole)

// addLast adds a row without a line break at its end. If line breaks are mandatory, its last value may be truncated,
// even if it parses.
func (p *pipeline) addLast(line []byte) {
	if p.layout.byWriter || p.lines.err != io.EOF {
		p.add(line, rowCut)
	} else {
		p.add(line, rowLast)
	}
}

// header returns the layout that a line defines; nil if it is not a header line. A header begins with a name, and so
// not with a digit.
func (p *pipeline) header(line []byte) *layout {
	if line[0]-'0' <= 9 || !bytes.Contains(line, []byte(required[0])) {
		return nil
	}
	l, err := parseHeader(line)
	if err != nil {
		return nil
	}
	p.probe.layout = p.layout
	if p.probe.parse(line, new(op.Op)) == nil {
		return nil // unusual, but a row
	}
	return l
}

// setLayout applies a header line. The rows that follow go into a new block.
func (p *pipeline) setLayout(l *layout) {
	p.layout = l
	p.lines.sep, p.lines.flat = l.sep, l.flat()
	p.lines.shift()
}

// swap sends the filled block and returns the buffer of another one; see lineReader.
func (p *pipeline) swap(length int) []byte {
	switch {
	case p.cur == nil: // stopped in the middle of a long row
		return make([]byte, length)
	case len(p.cur.rows) == 0: // the buffer is unused
		return p.lines.buf
	}
	p.send()
	select {
	case p.cur = <-p.free:
	case <-p.quit:
		p.cur, p.lines.err = nil, errStopped
		return make([]byte, length)
	}
	p.cur.layout = p.layout.only(p.keep)
	if size := length + readChunk; len(p.cur.text) < size {
		p.cur.text = make([]byte, max(2*readChunk, size))
	}
	return p.cur.text
}

// errStopped marks the place where reading was stopped.
var errStopped = errors.New("reading was stopped")

// send hands the filled block to a parser and, in order, to the Reader.
func (p *pipeline) send() {
	if len(p.cur.rows) == 0 {
		return
	}
	p.cur.text = nil
	if len(p.lines.buf) <= 4*readChunk {
		p.cur.text = p.lines.buf
	}
	p.work <- p.cur
	p.ordered <- p.cur
}

// block is a number of rows on their way from the text to the reader: the splitter adds rows, a parser turns them into
// operations, the Reader returns these in order.
type block struct {
	text   []byte // backing the rows
	rows   []row
	ops    []op.Op // by row; valid only for rows of kind rowOp
	layout *layout
	parsed chan struct{} // receives one value when parsing is done
}

// row is one row, or a line between rows.
type row struct {
	text []byte
	line int // number of its first line
	kind rowKind
	err  error // of a rowBad
}

// rowKind is what a row turned out to be.
type rowKind uint8

const (
	rowOp      rowKind = iota
	rowBad             // an invalid value, or a wrong number of columns
	rowCut             // the last row, truncated
	rowLast            // the last row, without a line break; becomes rowOp or rowCut when parsed
	rowLong            // longer than MaxRow
	rowComment         // begins with #
	rowHeader          // names the columns of the rows that follow
)

func newBlock() *block { return &block{parsed: make(chan struct{}, 1)} }

// parse parses the rows into operations.
func (b *block) parse(p *rowParser) {
	if cap(b.ops) < len(b.rows) {
		b.ops = make([]op.Op, len(b.rows), max(len(b.rows), cap(b.rows)))
	}
	b.ops = b.ops[:len(b.rows)]
	p.layout = b.layout
	for i := range b.rows {
		r := &b.rows[i]
		if r.kind != rowOp && r.kind != rowLast {
			continue
		}
		err := p.parse(r.text, &b.ops[i])
		switch {
		case err == nil:
			r.kind = rowOp
		case r.kind == rowLast:
			r.kind = rowCut
		default:
			r.kind, r.err = rowBad, err
		}
	}
}

// reset empties the block; its memory is reused.
func (b *block) reset() {
	clear(b.rows)
	b.rows = b.rows[:0]
	b.layout = nil
}
