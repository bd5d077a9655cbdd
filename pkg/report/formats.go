package report

import (
	"io"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// Formats are the reports of other tools that As writes.
func Formats() []string { return []string{"hsbench", "hsbench-log", "osb", "s3bench"} }

// ToolRun is a run as other tools report on it: all of its operations, whatever the active window.
type ToolRun struct {
	Kinds    []*aggregate.Entire // in order of their first operations; preparation is left out
	Interval time.Duration       // of their intervals
	Plan     *ToolPlan           // nil: not known
	Location *time.Location      // of times

	Verbose  bool // each request has a line, if the tool can print one
	requests []requestLine
	more     int // requests that are too many to be kept
}

// ToolPlan holds the fields of a plan that other tools print.
type ToolPlan struct {
	Engine string
	Region string
	Bucket string
	Hosts  []string // URLs
	Phases []ToolPhase
}

// ToolPhase holds the fields of a phase that other tools print. Fields that are 0 or empty are unknown, or not part of the phase.
type ToolPhase struct {
	Name     string        // as in records
	Threads  int           // of all clients
	Runtime  time.Duration // after which it ends
	Requests uint64        // after which it ends
	Ranges   bool          // it reads ranges of objects
	Objects  uint64        // of its data set
	Buckets  int           // that these are spread over
	Size     int64         // of each of them, in bytes
	PartSize int64         // in bytes
	Prefix   string        // of keys
	Batch    int           // objects whose keys have a directory in common

	Statement string   // in the language of object-store-bench
	Naming    string   // its strategy of names, as in CONSTANT PREFIX; uploads only
	Seeds     []string // of these names, of each client
}

// phase returns the fields of a phase.
func (r *ToolRun) phase(name string) ToolPhase {
	if r.Plan != nil {
		for i := range r.Plan.Phases {
			if r.Plan.Phases[i].Name == name {
				return r.Plan.Phases[i]
			}
		}
	}
	return ToolPhase{Name: name}
}

// As writes a run in the format of another tool, for programs that read it. JSON exists for hsbench only.
func As(w io.Writer, format string, json bool, r *ToolRun) error {
	switch {
	case format == "hsbench" && json:
		return writeJSON(w, "hsbench report", hsbenchRows(r))
	case format == "hsbench":
		return hsbenchCSV(w, hsbenchRows(r))
	case format == "hsbench-log":
		return hsbenchLog(w, r)
	case format == "osb":
		return osb(w, r)
	}
	return s3bench(w, r)
}

// LeftOut returns the kinds of operations that a format has no place for.
func LeftOut(format string, r *ToolRun) (kinds []string) {
	if format != "s3bench" {
		return nil
	}
	for _, e := range r.operations() {
		if s3benchName(r, e) == "" && !slices.Contains(kinds, string(e.Kind)) {
			kinds = append(kinds, string(e.Kind))
		}
	}
	return kinds
}

// operations returns the kinds that are operations to other tools: a transfer in parts is one, and each attempt at an operation is one.
func (r *ToolRun) operations() []*aggregate.Entire {
	return slices.DeleteFunc(slices.Clone(r.Kinds), func(e *aggregate.Entire) bool {
		if strings.HasSuffix(string(e.Kind), string(op.Kind("").Attempts())) {
			return true
		}
		return slices.ContainsFunc(r.Kinds, func(o *aggregate.Entire) bool {
			f, _ := o.Kind.Facts()
			return o.Phase == e.Phase && slices.Contains(f.Parts, e.Kind)
		})
	})
}

// whole returns the kind of an object's transfer, in parts or not.
func whole(k op.Kind) op.Kind {
	switch k {
	case op.MultipartPut:
		return op.Put
	case op.MultipartGet:
		return op.Get
	}
	return k
}

// rankOf returns a percentile, however few values there are: other tools print all of them.
func rankOf(h *hist.Histogram, p float64) float64 {
	v, _ := h.Percentile(p)
	return float64(v)
}
