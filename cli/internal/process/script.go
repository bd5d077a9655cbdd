package process

import (
	"context"
	"path/filepath"
	"sync"

	"warp/internal/embedded"
)

// DryRun says how much of a command line is checked instead of performed.
type DryRun int

// How a command line of a shell script is run, or checked before the script runs.
const (
	NotDry    DryRun = iota // performed
	PlanOnly                // checked: flags, and the plan they make
	FlagsOnly               // checked: flags, since the command reads what the script makes
)

// MaxScripts is the maximum depth of shell scripts within shell scripts.
const MaxScripts = 8

// Script is what the command lines of a shell script have in common.
type Script struct {
	Programs bool // it may execute programs, and so may its scenarios

	mu     sync.Mutex
	need   int64            // bytes that one of its runs stores on the embedded server at most
	server *embedded.Server // of all its runs; nil: none was needed so far
	files  map[string]int   // runs that write a file, by its absolute path
}

// Reserve asks for room on the embedded server: what one run stores at most.
func (s *Script) Reserve(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.need = max(s.need, bytes)
}

// Reserved returns the room that the largest run needs.
func (s *Script) Reserved() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.need
}

// CountWriter counts one more run that writes a file, and returns their number.
func (s *Script) CountWriter(path string) (runs int) {
	whole, err := filepath.Abs(path)
	if err != nil {
		whole = path
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]int{}
	}
	s.files[whole]++
	return s.files[whole]
}

// Server returns the embedded server of the script, which begins with the first run that needs one; again if it has ended.
func (s *Script) Server(ctx context.Context, need int64) (server *embedded.Server, begun bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		select {
		case <-s.server.Done():
		default:
			return s.server, false, nil
		}
	}
	s.server, err = embedded.Start(ctx, embedded.Options{Need: max(need, s.need)})
	return s.server, true, err
}

// End ends the server.
func (s *Script) End() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return nil
	}
	server := s.server
	s.server = nil
	return server.Stop()
}
