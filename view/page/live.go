package page

import (
	"encoding/json"
	"fmt"
	"io"

	"warp/pkg/observe"
)

// State is how far a run is whose page is served.
type State string

// The states.
const (
	Starting State = "starting" // nothing has happened yet
	Reading  State = "reading"  // a recording
	Running  State = "running"
	Stopping State = "stopping" // operations in flight may finish
	Reported State = "reported" // the report is the final one; the clean-up may go on
	Over     State = "over"
)

// Live is what a served page shows in addition to the report: where a run stands.
type Live struct {
	State    State     `json:"state"`
	At       float64   `json:"at"`              // seconds of Unix time
	Stage    string    `json:"stage,omitempty"` // such as "Benchmarking get"
	Phases   []string  `json:"phases,omitempty"`
	Phase    int       `json:"phase"`     // index of the present one
	Elapsed  float64   `json:"elapsed_s"` // of the stage; negative before it
	Warmup   float64   `json:"warmup_s,omitempty"`
	Duration float64   `json:"duration_s,omitempty"` // after the warm-up; 0: not known
	Done     int64     `json:"done"`                 // operations or objects
	Total    int64     `json:"total,omitempty"`      // 0: not known
	Noun     string    `json:"noun,omitempty"`       // what Total counts; empty: objects
	Threads  int       `json:"threads,omitempty"`    // at work, if their number changes
	Rates    []Rate    `json:"rates,omitempty"`      // of the last moments, by kind; the total first if there are several
	Limit    string    `json:"limit,omitempty"`      // by what the client is the bottleneck at the moment
	Messages []Message `json:"messages,omitempty"`   // the newest last
	Stop     bool      `json:"stop,omitempty"`       // the run may be stopped from the page
}

// Rate is the present figures of a kind of operations.
type Rate struct {
	Name          string  `json:"name,omitempty"` // empty: all kinds
	Ops           int64   `json:"ops"`
	Errors        int64   `json:"errors"`
	Resent        int64   `json:"resent,omitempty"` // see aggregate.Group
	BytesPerSec   float64 `json:"bytes_per_sec,omitempty"`
	ObjectsPerSec float64 `json:"objects_per_sec,omitempty"`
	OpsPerSec     float64 `json:"ops_per_sec"`
	P50           float64 `json:"p50,omitempty"` // ms; 0: not known
	P99           float64 `json:"p99,omitempty"`
}

// Message is a notice or warning of a run.
type Message struct {
	At   float64 `json:"at"`
	Text string  `json:"text"`
}

// maxSamples is how many samples of the client a served page gets each second.
const maxSamples = 180

// Data returns the data of a served page as one line of JSON, without characters that could end its element.
func Data(run Run, live *Live) ([]byte, error) {
	l := liveLimits
	if live.State == Reported || live.State == Over {
		l = fileLimits
	} else {
		run.Samples = observe.Join(run.Samples, maxSamples)
	}
	d, err := dataOf(run, l)
	if err != nil {
		return nil, err
	}
	d.Live = live
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode the data of the page: %w", err)
	}
	return text, nil
}

// WriteServed writes a page that its server keeps up to date, with data that Data made.
func WriteServed(w io.Writer, title string, data []byte) error {
	return writeFrame(w, ServedPolicy(), title, data)
}

// ServedPolicy returns the policy of a served page: its scripts and style, and requests to its own server.
func ServedPolicy() string { return assets().sources + "; connect-src 'self'; form-action 'self'" }
