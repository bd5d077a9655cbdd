// Package web serves a run in progress over HTTP: the page of the report, kept up to date, the report as JSON, metrics, and a request that
// ends the run.
//
// Nobody who looks can slow down the run: a page gets the newest data or none, each write has a deadline, and the number of connections is
// limited. Who may look is decided before anything else: see lock.
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/internal/guard"
	"warp/view/page"
)

// Source is what a server shows. Its methods may be called concurrently.
type Source interface {
	Data() ([]byte, error)       // of the page, as a line of JSON
	WriteReport(io.Writer) error // the report so far as an HTML file
	WriteJSON(io.Writer) error   // the report so far as JSON
}

// Options configure a Server.
type Options struct {
	Addr    string       // host:port; port 0: any that is free
	Token   string       // that readers must know; empty: only this machine is let in
	Title   string       // of the page
	Metrics http.Handler // nil: none
	Stop    func() bool  // has the run end early, and reports whether it can; nil: it cannot
}

// Limits on who looks.
const (
	maxReaders = 96 // connections of readers with the token; see guard for others
	maxStreams = 32
	writeTime  = 10 * time.Second // for a response, or one message of a stream
	lastTime   = 2 * time.Second  // for the last message of all streams, when the server ends
)

// Server serves a run.
type Server struct {
	opts     Options
	lock     *lock
	guard    *guard.Guard
	listener net.Listener
	http     http.Server
	streams  streams
	serving  sync.WaitGroup
	source   Source
	wake     chan struct{} // has a message when there is something new
	quit     chan struct{}
	once     sync.Once
}

// Listen opens the address; Serve begins to answer.
func Listen(o Options) (*Server, error) {
	lock, err := newLock(o.Addr, o.Token)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", lock.addr)
	if err != nil {
		reason := err
		var op *net.OpError
		var call *os.SyscallError
		if errors.As(err, &op) {
			reason = op.Err
		}
		if errors.As(err, &call) {
			reason = call.Err
		}
		return nil, fmt.Errorf("%s cannot be listened on: %w", lock.addr, reason)
	}
	s := &Server{opts: o, lock: lock, guard: guard.New(maxReaders, nil), wake: make(chan struct{}, 1), quit: make(chan struct{})}
	s.listener = &guarded{l, s.guard}
	s.streams.writeTime = writeTime
	s.http = http.Server{
		Handler:           s.routes(),
		ConnContext:       withVisit,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	return s, nil
}

// URL returns the address of the page.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Serve answers with what a source shows, until Close.
func (s *Server) Serve(source Source) {
	s.source = source
	s.serving.Go(func() { _ = s.http.Serve(s.listener) }) // it ends with Close
	s.serving.Go(func() {
		for {
			select {
			case <-s.wake:
				s.publish()
			case <-s.quit:
				return
			}
		}
	})
}

// Changed has the present data sent to all pages. It does not wait for that.
func (s *Server) Changed() {
	select {
	case s.wake <- struct{}{}:
	default: // it will be, with what is newest then
	}
}

// publish sends the present data to all pages, if there are any.
func (s *Server) publish() {
	if s.streams.none() {
		return
	}
	if data, err := s.source.Data(); err == nil {
		s.streams.publish(data)
	}
}

// Close sends the last data to all pages, as far as they take it soon, and ends the server. It may be called again.
func (s *Server) Close() { s.once.Do(s.end) }

func (s *Server) end() {
	close(s.quit)
	if s.source != nil {
		s.publish()
	}
	s.streams.end(lastTime)
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	_ = s.listener.Close() // if it never served
	s.serving.Wait()
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /report.html", s.file("text/html; charset=utf-8", func(w io.Writer) error { return s.source.WriteReport(w) }))
	mux.HandleFunc("GET /api/v1/snapshot", s.file("application/json", func(w io.Writer) error { return s.source.WriteJSON(w) }))
	mux.HandleFunc("POST /stop", s.stop)
	if s.opts.Metrics != nil {
		mux.Handle("GET /metrics", s.opts.Metrics)
	}
	return deadlines(s.lock.protect(mux))
}

// deadlines gives each response a time limit, and headers that tell browsers to trust nothing else.
func deadlines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(clock.Now().Add(writeTime))
		h := w.Header()
		h.Set("Content-Security-Policy", page.ServedPolicy()+"; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	data, err := s.source.Data()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.WriteServed(w, s.opts.Title, data) // the browser has gone
}

// file answers with a document.
func (s *Server) file(kind string, write func(io.Writer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_ = write(w) // the reader has gone
	}
}

// stop ends the run early, with its report. Browsers let no other site send this header.
func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("X-Warp-Request") != "stop":
		http.Error(w, "missing header X-Warp-Request: stop", http.StatusForbidden)
	case s.opts.Stop == nil || !s.opts.Stop():
		http.Error(w, "there is no run that could be stopped from here", http.StatusConflict)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}
