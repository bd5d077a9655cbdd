package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed"
	"warp/pkg/observe"
	"warp/pkg/recording"
)

// machine is where a run happened, as far as it matters for its figures.
type machine struct {
	Hostname  string `json:"hostname"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	CPUs      int    `json:"cpus"`
	GoVersion string `json:"go_version"`
}

func thisMachine() machine {
	host, _ := os.Hostname()
	return machine{Hostname: host, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), GoVersion: runtime.Version()}
}

// config is what a recording says about how it was made. It holds no secret.
type config struct {
	Version     string      `json:"version"`
	Command     string      `json:"command"`
	Engine      string      `json:"engine"`
	Embedded    bool        `json:"embedded,omitempty"`
	Seed        uint64      `json:"seed"`
	Clients     int         `json:"clients,omitempty"` // that a coordinator had at work
	Plan        *bench.Plan `json:"plan"`
	Environment machine     `json:"environment"`
}

func (c *config) header(args []string) (recording.Header, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return recording.Header{}, fmt.Errorf("encode the plan: %w", err)
	}
	return recording.Header{Config: b, CommandLine: redact(args)}, nil
}

// runEnd is what a recording says at its end about how the run went.
type runEnd struct {
	Interrupted bool     `json:"interrupted,omitempty"`
	Stable      bool     `json:"stable,omitempty"`
	Warnings    []string `json:"warnings,omitempty"`
	Incomplete  []string `json:"incomplete,omitempty"` // of a merged recording: which of those that it is of are not whole, and why

	Connections bench.Connections  `json:"connections,omitzero"`
	Engine      string             `json:"engine,omitempty"`  // of a client's recording, whose config is the coordinator's
	Windows     *aggregate.Windows `json:"windows,omitempty"` // see aggregate.Ending: they save a pass over the recording

	Client  []observe.Sample           `json:"client,omitempty"`  // how the client itself did
	Clients []distributed.ClientReport `json:"clients,omitempty"` // of a run by several clients: how each of them did
	Parts   []part                     `json:"parts,omitempty"`   // of a merged recording: how the clients did whose recordings it is of
}

const stoppedEarly = "the run was stopped before its time, so it is shorter than planned"

// cut says why the run of a recording is not whole, if its end says so.
func (e *runEnd) cut(name string) []string {
	if e.Interrupted && len(e.Incomplete) == 0 {
		return []string{name + ": " + stoppedEarly}
	}
	return e.Incomplete
}

// secretFlags are those whose value must not be recorded.
var secretFlags = []string{"access-key", "secret-key", "session-token"}

const redacted = "*REDACTED*"

// redact is the command line without its secrets.
func redact(args []string) string {
	out := make([]string, 0, len(args))
	hide := false
	for _, arg := range args {
		if hide {
			arg, hide = redacted, false
		} else if flag, isFlag := strings.CutPrefix(strings.TrimSpace(arg), "-"); isFlag {
			name, _, hasValue := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
			if slices.Contains(secretFlags, name) {
				if hide = !hasValue; hasValue {
					arg = "--" + name + "=" + redacted
				}
			}
		}
		if strings.ContainsAny(arg, " \t\r\n\"'") {
			arg = fmt.Sprintf("%q", arg)
		}
		out = append(out, arg)
	}
	return strings.Join(out, " ")
}
