package agent

import (
	"context"
	"io"
	"os"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// Options configure an Agent.
type Options struct {
	Listen    string                            // host:port; empty: 127.0.0.1:7761
	Token     string                            // shared with coordinators; empty: they must be on this machine
	TLS       transport.TLSFiles                // certificates in addition to the token; usually none
	Dir       string                            // where the client keeps its recordings; empty: the working directory
	Keep      int                               // how many of them; older ones are removed after a run; 0: all
	Version   string                            // of warp
	Grace     time.Duration                     // how long a run goes on without its coordinator; 0: 30 s
	OpenStore func(s3.Config) (s3.Store, error) // nil: connect.New
	Logf      func(format string, args ...any)  // logs a line for each event; nil: none
	Watcher   Watcher                           // shows runs to others; may be nil

	Timing protocol.Timing

	// For tests.
	snapshot int                                                      // maximum length of a snapshot with all details
	now      func() time.Time                                         // the clock of this machine, as coordinators see it
	create   func(path string) (io.WriteCloser, error)                // makes the file of a recording
	limits   func(*observe.Summary, ...observe.Share) []observe.Limit // how the client was the bottleneck

	// run performs a plan.
	run func(context.Context, *job, *protocol.Start, *protocol.Secrets) protocol.Done
}

// Watcher is told how runs of a client go. Its methods do not block.
type Watcher interface {
	// Begin is called when a run begins, with what returns how this client itself does. The plan holds no secrets.
	Begin(plan *bench.Plan, engine string, samples func() []observe.Sample)
	// Stage is called when a stage begins. Its functions are valid until the next one begins.
	Stage(s bench.Stage)
	// Notice is called with a message for a person.
	Notice(text string)
	// End is called when the run is over.
	End()
}

// unwatched is the default.
type unwatched struct{}

func (unwatched) Begin(*bench.Plan, string, func() []observe.Sample) {}
func (unwatched) Stage(bench.Stage)                                  {}
func (unwatched) Notice(string)                                      {}
func (unwatched) End()                                               {}

// setDefaults sets what the caller left out, but for run.
func (o *Options) setDefaults() {
	if o.OpenStore == nil {
		o.OpenStore = connect.New
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Watcher == nil {
		o.Watcher = unwatched{}
	}
	if o.Grace == 0 {
		o.Grace = protocol.DefaultGrace
	}
	if o.Timing == (protocol.Timing{}) {
		o.Timing = protocol.DefaultTiming
	}
	if o.snapshot == 0 {
		o.snapshot = protocol.Wire.Documents[protocol.MsgSnapshot]
	}
	if o.now == nil {
		o.now = clock.Now
	}
	if o.create == nil {
		o.create = createFile
	}
	if o.limits == nil {
		o.limits = (*observe.Summary).Limits
	}
}

func createFile(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}
