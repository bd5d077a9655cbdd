package web

import (
	"net/http"
	"sync"
	"time"

	"warp/internal/clock"
)

// streams are the pages that are kept up to date.
type streams struct {
	mu    sync.Mutex
	list  map[*stream]bool
	over  bool
	ended sync.WaitGroup

	writeTime time.Duration // for one message
}

// stream is one page. It has room for one message: what it did not take in time is replaced by what is newer.
type stream struct {
	newest chan []byte
}

func (s *streams) none() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list) == 0
}

// open adds a page; nil: there are too many, or the server ends.
func (s *streams) open() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || len(s.list) >= maxStreams {
		return nil
	}
	t := &stream{make(chan []byte, 1)}
	if s.list == nil {
		s.list = make(map[*stream]bool)
	}
	s.list[t] = true
	s.ended.Add(1)
	return t
}

func (s *streams) close(t *stream) {
	s.mu.Lock()
	delete(s.list, t)
	s.mu.Unlock()
	s.ended.Done()
}

// publish offers data to all pages.
func (s *streams) publish(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	for t := range s.list {
		select {
		case <-t.newest: // it is too slow for this one
		default:
		}
		t.newest <- data // only publish sends, so there is room
	}
}

// end has pages take what they were offered, and waits for them so long at most.
func (s *streams) end(limit time.Duration) {
	s.mu.Lock()
	s.over = true
	for t := range s.list {
		close(t.newest)
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.ended.Wait()
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// events sends the newest data as server-sent events, until the reader has gone, is too slow for one message, or the server ends.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	t := s.streams.open()
	if t == nil {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer s.streams.close(t)
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{})
	send := func(data []byte) bool {
		_ = control.SetWriteDeadline(clock.Now().Add(s.streams.writeTime))
		for _, part := range [][]byte{[]byte("event: data\ndata: "), data, []byte("\n\n")} {
			if _, err := w.Write(part); err != nil {
				return false
			}
		}
		return control.Flush() == nil
	}
	if data, err := s.source.Data(); err != nil || !send(data) {
		return
	}
	for {
		select {
		case data, more := <-t.newest:
			if !more || !send(data) {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
