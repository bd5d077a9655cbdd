package responder

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// New starts a Server on a free port of the loopback interface.
func New(opts Options) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("responder: %w", err)
	}
	s := &Server{
		opts:   opts,
		url:    "http://" + l.Addr().String(),
		served: make(chan struct{}),
	}
	s.stop, s.cancel = context.WithCancel(context.Background())
	s.store.init()
	if s.dialect = opts.Dialect; s.dialect == nil {
		s.dialect = amazon{s}
	}
	for _, name := range opts.Buckets {
		s.dialect.Create(name)
	}
	s.listener = newSwitchListener(l)
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(s.listener) // ends with ErrServerClosed
	}()
	return s, nil
}
