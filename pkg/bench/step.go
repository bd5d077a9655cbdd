package bench

import (
	"strings"
	"time"

	"warp/pkg/units"
)

// Step is an action of a phase in parallel with its streams, or instead of streams: exactly one of the action fields is set.
type Step struct {
	Prepare string        `json:"prepare,omitempty"` // upload the missing objects of this data set that its tasks need
	Clean   string        `json:"clean,omitempty"`   // delete the objects of this data set
	Verify  string        `json:"verify,omitempty"`  // compare the objects of this data set with their uploads
	Wait    time.Duration `json:"wait_ns,omitempty"`
	Exec    []string      `json:"exec,omitempty"`     // run this program, with these arguments; see Env.Exec
	ExecEnv []string      `json:"exec_env,omitempty"` // names of secret variables to pass on
	Sample  float64       `json:"sample,omitempty"`   // of Verify: share of the objects, above 0 and up to 1; 0: all
	Threads int           `json:"threads,omitempty"`  // 0: as many as the benchmarks have
}

// set returns the data set of the step, if it has one.
func (s *Step) set() string { return s.Prepare + s.Clean + s.Verify }

// String describes the step.
func (s *Step) String() string {
	switch {
	case s.Prepare != "":
		return "prepare " + s.Prepare
	case s.Clean != "":
		return "clean " + s.Clean
	case s.Verify != "":
		return "verify " + s.Verify
	case len(s.Exec) > 0:
		return "exec " + units.Truncate(units.Line(strings.Join(s.Exec, " ")), 60)
	}
	return "wait " + s.Wait.String()
}

// threadsOf returns the minimum number of threads of steps.
func threadsOf(steps []Step) (n int) {
	for i := range steps {
		n += max(1, steps[i].Threads)
	}
	return n
}
