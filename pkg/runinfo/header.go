// Package runinfo is what a recording states about its run: at its head how the run was made, at its end how it went.
package runinfo

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"time"

	"warp/internal/secret"
	"warp/pkg/bench"
	"warp/pkg/recording"
	"warp/pkg/s3"
	"warp/pkg/search"
)

// Machine is where a run happened, as far as it matters for its figures.
type Machine struct {
	Hostname  string `json:"hostname"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	CPUs      int    `json:"cpus"`
	GoVersion string `json:"go_version"`
}

// ThisMachine returns the machine that the process runs on.
func ThisMachine() Machine {
	host, _ := os.Hostname()
	return Machine{Hostname: host, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), GoVersion: runtime.Version()}
}

// Header is the configuration at the head of a recording: how the run was made. It holds no secret.
type Header struct {
	Version     string         `json:"version"`
	Command     string         `json:"command"`
	Engine      string         `json:"engine"`
	Store       s3.Description `json:"store,omitzero"` // unless it is S3
	Embedded    bool           `json:"embedded,omitempty"`
	Seed        uint64         `json:"seed"`
	Clients     uint64         `json:"clients,omitempty"` // of a distributed run
	Plan        *bench.Plan    `json:"plan"`
	Environment Machine        `json:"environment"`
	Expect      []Rule         `json:"expect,omitempty"`   // of a scenario
	Sweeps      []search.Sweep `json:"sweeps,omitempty"`   // whose points are phases
	Baseline    int            `json:"baseline,omitempty"` // version of the baseline that was measured; 0: none
	Client      *Client        `json:"client,omitempty"`   // whose recording this is; nil: not one of several
}

// EmbeddedStore says that a run measured this machine, in reports for people.
const EmbeddedStore = "Measured on the embedded server: figures of this machine, not of a store"

// Rule is a rule that the result of a stream must meet.
type Rule struct {
	Stream string `json:"stream,omitempty"` // empty in a plan of one stream
	Text   string `json:"rule"`
	Broken string `json:"broken_if"` // the opposite, as --fail-if has it

	Over  time.Duration `json:"over_ns,omitempty"` // it must be met in any time that is so long; 0: by the whole stream
	Abort bool          `json:"abort,omitempty"`   // the run ends when it is violated
}

// Client says which client of a distributed run made a recording.
type Client struct {
	ID        string        `json:"id"`
	Host      string        `json:"host"`
	Listen    string        `json:"listen"`           // identifies the client together with the host, for as long as it is set up
	Source    string        `json:"source,omitempty"` // address that its connections to the store leave from; empty: the system's choice
	Index     uint64        `json:"index"`
	Total     uint64        `json:"total"`
	Offset    time.Duration `json:"clock_offset_ns"`
	RTT       time.Duration `json:"clock_rtt_ns"`
	End       *Clock        `json:"clock_end,omitempty"`
	Corrected bool          `json:"clock_corrected"` // times are already on the coordinator's clock
}

// Header returns the header of a recording that a command line made.
func (h *Header) Header(args []string) (recording.Header, error) {
	b, err := json.Marshal(h)
	if err != nil {
		return recording.Header{}, fmt.Errorf("encode the plan: %w", err)
	}
	return recording.Header{
		Config:      b,
		CommandLine: Redact(args),
		Buckets:     h.Plan != nil && h.Plan.Target.Buckets > 1,
		Copies:      h.Plan != nil && bench.Copies(h.Plan),
	}, nil
}

// OfClient returns the head of one client's recording: the coordinator's, which may be of another version and is kept as it
// is, with the client added, and the plan where the coordinator sent none.
func OfClient(head json.RawMessage, plan *bench.Plan, c *Client) (json.RawMessage, error) {
	fields := make(map[string]json.RawMessage)
	if len(head) > 0 {
		if err := json.Unmarshal(head, &fields); err != nil {
			return nil, errors.New("the description of the run is not a JSON object")
		}
	}
	var err error
	if fields["client"], err = json.Marshal(c); err != nil {
		return nil, err
	}
	if _, ok := fields["plan"]; !ok {
		if fields["plan"], err = json.Marshal(plan); err != nil {
			return nil, err
		}
	}
	return json.Marshal(fields)
}

// Redact returns the command line without its secrets.
func Redact(args []string) string {
	out := make([]string, 0, len(args))
	hidden := "" // flag whose value comes next
	for _, arg := range args {
		if hidden != "" {
			arg, hidden = secret.Redact(hidden, arg), ""
		} else if flag, isFlag := strings.CutPrefix(strings.TrimSpace(arg), "-"); isFlag {
			name, value, hasValue := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
			switch {
			case !secret.Redacts(name):
			case hasValue:
				arg = "--" + name + "=" + secret.Redact(name, value)
			default:
				hidden = name
			}
		}
		if strings.ContainsAny(arg, " \t\r\n\"'") {
			arg = fmt.Sprintf("%q", arg)
		}
		out = append(out, arg)
	}
	return strings.Join(out, " ")
}

// Suffix ends the file names of recordings.
const Suffix = ".csv.zst"

const idChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// NewID returns a random id of a client: four characters, as in recordings of MinIO warp.
func NewID() string {
	id := make([]byte, 4)
	for i := range id {
		id[i] = idChars[rand.IntN(len(idChars))]
	}
	return string(id)
}

// BaseName returns the default file name of a recording, without Suffix. No shell has to quote it.
func BaseName(command, client string, at time.Time) string {
	return fmt.Sprintf("warp-%s-%s-%s", command, at.Format("2006-01-02-150405"), client)
}
