package distributed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/clock"
)

// documents are the greatest lengths of messages that travel in chunks before them, in bytes. So they take no more memory
// under way than the window, the loss of a connection costs little of them, and each chunk shows that the client gets on.
var documents = map[string]int{msgBounds: 64 << 20, msgAggregated: 4 << 20, msgSnapshot: 256 << 20}

// enclosed is the body of a message whose own body came before, in chunks.
type enclosed struct {
	Bytes int `json:"bytes"`
}

// sendDocument sends one of documents, and calls sent after each chunk.
func (s *session) sendDocument(ctx context.Context, kind string, body any, sent func()) error {
	b, err := encodeBody(kind, body)
	if err != nil {
		return err
	}
	if most := documents[kind]; len(b) > most {
		return fmt.Errorf("what it has to say (%q) is %d bytes long, too much for the %d that are allowed", kind, len(b), most)
	}
	for chunk := range slices.Chunk(b, chunkSize) {
		if err := s.send(ctx, msgChunk, chunk); err != nil {
			return err
		}
		sent()
	}
	return s.send(ctx, kind, enclosed{len(b)})
}

var errNoMore = errors.New("it handed over nothing")

// next waits for the next message of the handing over, which may be a document, and opens its body into v unless that is nil.
func (m *member) next(kind string, v any) error {
	most, isDocument := documents[kind]
	var doc []byte
	for {
		f, err := m.hear()
		switch {
		case err != nil:
			return err
		case f.kind == msgChunk && isDocument:
			if len(doc)+len(f.body) > most {
				return &violation{fmt.Sprintf("%q is longer than the %d bytes that are allowed", kind, most)}
			}
			doc = append(doc, f.body...)
			continue
		case f.kind != kind:
			return &violation{fmt.Sprintf("it said %q where %q was due", f.kind, kind)}
		case isDocument:
			var e enclosed
			if err := f.open(&e); err != nil {
				return err
			}
			if e.Bytes != len(doc) {
				return &violation{fmt.Sprintf("%q should be %d bytes long, and %d came", kind, e.Bytes, len(doc))}
			}
			f.body = doc
		}
		if v == nil {
			return nil
		}
		return f.open(v)
	}
}

// hear waits for the next frame of the handing over. A client that gets nowhere is dropped.
func (m *member) hear() (frame, error) {
	stall := m.c.opts.timing.stall
	tick := time.NewTicker(max(stall/10, time.Millisecond))
	defer tick.Stop()
	since := clock.Now()
	for {
		select {
		case f := <-m.talk:
			return f, nil
		case <-m.quiet:
			return frame{}, errNoMore
		case <-tick.C:
			if m.stuck(since, stall) {
				return frame{}, fmt.Errorf("handing over its results, it got nowhere for %v", stall)
			}
		}
	}
}
