package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// stopGrace is how long Stop waits for the child to end by itself before it is killed.
const stopGrace = 15 * time.Second

// Server is a running embedded server.
type Server struct {
	Access   string     // access key
	Secret   string     // secret key
	InMemory bool       // the data lies in memory
	Free     int64      // bytes that could be stored when it started; 0: unknown
	Removed  []Leftover // of servers that were killed before

	endpoint string
	dir      string
	cmd      *exec.Cmd
	stdin    io.Closer
	log      *crashLine

	mu       sync.Mutex
	stopping bool
	done     chan struct{}
	err      error // written before done is closed
}

// FreeSpace returns the number of bytes that can be stored now; 0 if unknown.
func (s *Server) FreeSpace() int64 { return inspect(filepath.Dir(s.dir)).free }

// Endpoint is the host:port at which clients reach the server.
func (s *Server) Endpoint() string { return s.endpoint }

// Dir is the directory that holds the data. It goes away with the server.
func (s *Server) Dir() string { return s.dir }

// Done is closed when the server is gone.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err says in one line why the server is gone, if nobody asked it to go; else it is nil.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Stop ends the server, waits for it and removes its directory. Later calls wait for the first and return the same.
func (s *Server) Stop() error {
	s.mu.Lock()
	if !s.stopping {
		s.stopping = true
		_ = s.stdin.Close() // the child ends at the end of its input
	}
	s.mu.Unlock()

	kill := time.NewTimer(stopGrace)
	defer kill.Stop()
	select {
	case <-s.done:
	case <-kill.C:
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	if err := removeAll(s.dir, func() {}); err != nil {
		return fmt.Errorf("remove the embedded server's data: %w", err)
	}
	return nil
}

// start runs the child and waits for its answer.
func (s *Server) start(ctx context.Context, o order) error {
	exe, err := program()
	if err != nil {
		return err
	}
	s.log = &crashLine{}
	s.cmd = exec.Command(exe, Child.Arg)
	s.cmd.Stderr = s.log
	s.cmd.SysProcAttr = detached()
	s.cmd.Env = environment()
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	s.stdin = stdin
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	first := make(chan error, 1)
	go func() {
		err := s.handshake(stdin, stdout, o)
		first <- err
		s.wait() // only now: it closes the pipes
	}()
	select {
	case err = <-first:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	return nil
}

// handshake sends the child its order and reads its response.
func (s *Server) handshake(stdin io.Writer, stdout io.Reader, o order) error {
	if err := json.NewEncoder(stdin).Encode(o); err != nil {
		return fmt.Errorf("the embedded server took no order: %w%s", err, s.log)
	}
	var a answer
	if err := json.NewDecoder(stdout).Decode(&a); err != nil {
		return fmt.Errorf("the embedded server did not respond: %w%s", err, s.log)
	}
	if a.Err != "" {
		return errors.New(a.Err)
	}
	s.endpoint = a.Addr
	s.log.forget() // what it says while it starts is no reason for its end
	return nil
}

// wait waits for the end of the child and says why it ended. What the child left Stop removes: that may take a while, and the
// end of a server should be known at once.
func (s *Server) wait() {
	err := s.cmd.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopping {
		s.err = fmt.Errorf("the embedded server ended by itself: %s%s", s.exitReason(err), s.log)
	}
	close(s.done)
}

// exitReason says how the child ended.
func (s *Server) exitReason(err error) string {
	if err == nil {
		return "exit status 0"
	}
	if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
		return err.Error() + ", as the system does when memory runs out"
	}
	return err.Error()
}

// inheritedEnv are the variables that the child inherits: where temporary files go, and what tunes or tests the Go runtime.
var inheritedEnv = []string{
	"TMPDIR", "TMP", "TEMP",
	"GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GODEBUG", "GOTRACEBACK", "GOCOVERDIR", "GORACE",
}

// environment is all that the child inherits of this process's variables. Keys and tokens of stores are none of its business,
// and every variable is readable in /proc for as long as it lives.
func environment() []string {
	env := []string{} // nil would be all of them
	for _, name := range inheritedEnv {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
