package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
)

// Options configure a distributed run.
type Options struct {
	Clients     []string           // host:port, expanded; the default port is transport.DefaultPort
	Token       string             // shared with the clients; empty: they must be on this machine
	TLS         transport.TLSFiles // certificates in addition to the token; usually none
	Version     string             // of warp; clients must have the same
	Name        string             // of this coordinator, for others that find the clients busy; empty: the host name
	Observer    Observer           // may be nil
	EndPhase    <-chan int         // phases to end early, by their index in the plan; may be nil
	StartAt     time.Time          // when the benchmark begins; zero or past: as soon as all clients are ready
	Config      json.RawMessage    // for the header of recordings: a JSON object without secrets
	CommandLine string             // for the header of recordings
	Statistics  aggregate.Options  // of the result
	Traces      []Trace            // that the plan replays
	Counts      bool               // clients send what Stage.Counts returns
	Watches     []protocol.Watch   // sliding windows; clients count operations in them for a WindowObserver
	Recording   io.Writer          // receives the merged recording; nil: nothing is merged, clients keep their recordings
	Merge       MergeFunc          // merges recordings; nil: one after the other
	TempDir     string             // for the recordings until they are merged; empty: the system's
	Wait        time.Duration      // for clients that are not up yet
	Grace       time.Duration      // how long a lost client may take to reconnect while the others wait; 0: 30 s

	// Exec runs a program of a step, here and not on clients, until it ends or ctx is over. nil: a plan with any is refused.
	Exec func(ctx context.Context, s *bench.Step) error

	Timing protocol.Timing

	// Limits returns how a client was the bottleneck. nil: (*observe.Summary).Limits.
	Limits func(*observe.Summary, ...observe.Share) []observe.Limit
}

// MergeFunc writes the recordings in files to w as one. r is the result so far.
type MergeFunc func(ctx context.Context, w io.Writer, files []string, r *Result) error

// concatenate writes recordings one after the other. The result is a valid recording, though not in order of time.
func concatenate(_ context.Context, w io.Writer, files []string, _ *Result) error {
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// setDefaults sets what the caller left out.
func (o *Options) setDefaults() {
	if o.Observer == nil {
		o.Observer = noObserver{}
	}
	if o.Grace == 0 {
		o.Grace = protocol.DefaultGrace
	}
	if o.Timing == (protocol.Timing{}) {
		o.Timing = protocol.DefaultTiming
	}
	if o.Limits == nil {
		o.Limits = (*observe.Summary).Limits
	}
	if o.Merge == nil {
		o.Merge = concatenate
	}
	if o.Name == "" {
		o.Name, _ = os.Hostname() // optional
	}
}
