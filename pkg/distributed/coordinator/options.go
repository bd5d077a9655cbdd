package coordinator

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
)

// CoordinatorOptions shape a distributed run.
type Options struct {
	Clients     []string           // host:port, expanded; a port that is missing is transport.DefaultPort
	Token       string             // shared with the clients; empty: they must be on this machine
	TLS         transport.TLSFiles // certificates beside the token; usually none
	Version     string             // of warp; clients must have the same
	Name        string             // of this coordinator, for others who find the clients busy; empty: the host's
	Observer    Observer           // may be nil
	StartAt     time.Time          // when the benchmark begins; zero or past: as soon as all clients are ready
	Config      json.RawMessage    // for the head of recordings: a JSON object without secrets
	CommandLine string             // likewise
	Statistics  aggregate.Options  // of the result
	Recording   io.Writer          // takes the recording of all clients together; nil: only the clients' own are kept
	Merge       MergeFunc          // puts recordings together; nil: one behind the other
	TempDir     string             // takes the recordings until they are put together; empty: the system's
	Grace       time.Duration      // how long a client that is lost may take to come back when the others wait for it; 0: 30 s

	Timing  protocol.Timing
	Verdict func(*observe.Summary) []string // whether a client was the limit; tests, which share a machine, want no opinion
}

// MergeFunc writes the recordings in files to w as one. What is known of the run by then is in r.
type MergeFunc func(ctx context.Context, w io.Writer, files []string, r *Result) error

// Observer is told how a run goes on. Its methods are called by one goroutine.
type Observer interface {
	// Stage tells that a stage begins. It can be asked for its progress until the next one begins.
	Stage(s Stage)
	// Notice is something that a person should know at once.
	Notice(text string)
	// Measured tells the result before the clients clean up, unless no client has a part in it. What the end of the run adds
	// to it is not there yet.
	Measured(r *Result)
}

// Stage is a part of a run by all clients.
type Stage struct {
	Name     string                                       // as in bench.Stage
	Workload string                                       // what is benchmarked
	Duration time.Duration                                // how long it is to last; 0: not known
	Start    time.Time                                    // when it begins; may lie in the future
	Progress func() (done, total uint64)                  // of all clients; total is 0 if not known
	Recent   func(now time.Time) (aggregate.Recent, bool) // of all clients
}

// silent is an Observer for runs that nobody watches.
type noObserver struct{}

func (noObserver) Stage(Stage)      {}
func (noObserver) Notice(string)    {}
func (noObserver) Measured(*Result) {}
