package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"

	"warp/internal/responder"
)

// server is a responder in a process of its own.
type server struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	host string
	tls  bool
}

// serveArgs are what a server is started with.
type serveArgs struct {
	Size int  // of the objects
	Keep int  // the size up to which uploads are kept
	TLS  bool // HTTPS
}

func startServer(a serveArgs) (*server, error) {
	s := &server{cmd: self("serve", a), tls: a.TLS}
	s.cmd.Stderr = os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	line, err := s.out.ReadString('\n')
	s.host = strings.TrimSpace(line)
	return s, err
}

// counts returns how many requests arrived so far, by the first letter of their method.
func (s *server) counts() (map[byte]int64, error) {
	if _, err := fmt.Fprintln(s.in, "counts"); err != nil {
		return nil, err
	}
	var get, put, head, del int64
	_, err := fmt.Fscanln(s.out, &get, &put, &head, &del)
	return map[byte]int64{'G': get, 'P': put, 'H': head, 'D': del}, err
}

func (s *server) stop() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }

// serve runs in the process of the server until its input ends. It writes the counts of requests for each line.
func serve(a serveArgs, out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if a.TLS {
		certificate := httptest.NewUnstartedServer(nil)
		certificate.StartTLS()
		defer certificate.Close()
		l = tls.NewListener(l, &tls.Config{Certificates: certificate.TLS.Certificates, DynamicRecordSizingDisabled: true})
	}
	// A collection takes a processor from the client for milliseconds.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(4 << 30)
	r := responder.ServeRaw(l, a.Size, a.Keep)
	fmt.Fprintln(out, r.Host())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Fprintln(out, r.Requests('G'), r.Requests('P'), r.Requests('H'), r.Requests('D'))
	}
	return r.Close()
}
