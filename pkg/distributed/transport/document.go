package transport

import (
	"context"
	"fmt"
	"slices"
)

// DocumentEnd is the body of a message whose own body came before, in chunks. So a long message takes no more memory under
// way than the window, the loss of a connection costs little of it, and each chunk shows that the sender makes progress.
type DocumentEnd struct {
	Bytes int `json:"bytes"`
}

// SendDocument sends one of the protocol's documents, and calls sent after each chunk.
func (s *Session) SendDocument(ctx context.Context, kind string, body any, sent func()) error {
	b, err := encodeBody(kind, body)
	if err != nil {
		return err
	}
	if limit := s.protocol.Documents[kind]; len(b) > limit {
		return fmt.Errorf("message %q has %d bytes, want at most %d", kind, len(b), limit)
	}
	for chunk := range slices.Chunk(b, ChunkSize) {
		if err := s.Send(ctx, Chunk, chunk); err != nil {
			return err
		}
		sent()
	}
	return s.Send(ctx, kind, DocumentEnd{len(b)})
}

// Assembly puts a message together, which may be a document.
type Assembly struct {
	Kind  string
	Limit int // maximum length of a document; 0: not a document
	body  []byte
}

// Add adds the next frame. whole: it was the last one, and has the body of the message.
func (a *Assembly) Add(f *Frame) (whole bool, err error) {
	switch {
	case f.Kind == Chunk && a.Limit > 0:
		if len(a.body)+len(f.Body) > a.Limit {
			return false, Violationf("message %q has more than %d bytes", a.Kind, a.Limit)
		}
		a.body = append(a.body, f.Body...)
		return false, nil
	case f.Kind != a.Kind:
		return false, Violationf("unexpected message %q, want %q", f.Kind, a.Kind)
	case a.Limit > 0:
		var end DocumentEnd
		if err := f.Open(&end); err != nil {
			return false, err
		}
		if end.Bytes != len(a.body) {
			return false, Violationf("message %q states %d bytes, received %d", a.Kind, end.Bytes, len(a.body))
		}
		f.Body = a.body
	}
	return true, nil
}
