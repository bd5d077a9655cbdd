package recording

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"

	"warp/pkg/op"
)

// maxParsers is how many goroutines parse at most. Four keep up with one that decompresses.
const maxParsers = 4

// pipeline reads a recording with several goroutines: one decompresses and splits the text into blocks of rows, some
// parse blocks, and the one that calls Reader.Scan gets them back in the order of the file. So a Reader gives the same
// as if it did all of it by itself. The number of blocks is fixed, which bounds memory and how far the reading is ahead.
type pipeline struct {
	lines  *lineReader
	layout *layout
	keep   []string // columns; nil: all
	cur    *block   // that is being filled
	probe  rowParser

	free    chan *block // not in use; room for all
	work    chan *block // to the parsers; room for all
	ordered chan *block // to the Reader, in order; room for all
	quit    chan struct{}
	wg      sync.WaitGroup
}

// startPipeline begins to read what lines has behind the header line that gave l, with so many parsers; 0: as many as
// are useful.
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

// next is the next block, parsed; nil: there is none. The one before is given back.
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

// stop ends the goroutines, and waits for a Read that is under way.
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

// split fills blocks until the text ends or the reading is given up.
func (p *pipeline) split() {
	defer p.wg.Done()
	defer close(p.ordered)
	defer close(p.work)
	for {
		line, ok := p.lines.next()
		switch {
		case p.cur == nil: // given up
			return
		case !ok:
			p.send()
			return
		case p.lines.tooLong:
			p.add(nil, rowLong)
		case len(line) == 0:
		case line[0] == '#':
			p.add(line, rowComment)
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

func (p *pipeline) add(text []byte, sort rowSort) {
	p.cur.rows = append(p.cur.rows, row{text: text, line: p.lines.number, sort: sort, bare: p.lines.bare})
}

// addLast adds a row without a line break at its end. Where it must have one, its last value may be only half of what was
// written, even where it parses.
func (p *pipeline) addLast(line []byte) {
	if p.layout.ours || p.lines.err != io.EOF {
		p.add(line, rowCut)
	} else {
		p.add(line, rowLast)
	}
}

// header is the layout that a line names; nil: it is no header line. One begins with a name, and so not with a digit.
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
		return nil // strange, but a row
	}
	return l
}

// setLayout takes over what a header line says. The rows that follow go into a new block.
func (p *pipeline) setLayout(l *layout) {
	p.layout = l
	p.lines.sep, p.lines.flat = l.sep, l.flat()
	p.lines.shift()
}

// swap sends the block that was filled and gives the buffer of another one; see lineReader.
func (p *pipeline) swap(length int) []byte {
	switch {
	case p.cur == nil: // given up, in the middle of a long row
		return make([]byte, length)
	case len(p.cur.rows) == 0: // nothing lies in the buffer any more
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

// errStopped stands where the text would go on.
var errStopped = errors.New("reading was given up")

// send hands the block that was filled to a parser and, in its turn, to the Reader.
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
