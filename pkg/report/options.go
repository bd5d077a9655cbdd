package report

import "time"

// Form is how much of a text report is printed.
type Form string

// The forms of a text report.
const (
	Auto    Form = "auto"    // Brief on a terminal, else Full
	Brief   Form = "brief"   // the overview, which fits on a screen
	Full    Form = "full"    // the overview, then a block for each kind of operation, and remarks
	Classic Form = "classic" // the blocks alone, as in the manual of MinIO warp
)

// Forms are the values of --report.
var Forms = []Form{Auto, Brief, Full, Classic}

// Title says what a report is about. Empty fields are unknown.
type Title struct {
	Command string // or a recording
	Hosts   []string
	Bucket  string
	Shape   []string // of the run, as in 100 objects, 20 threads
	Start   time.Time
	Length  time.Duration
	Version string
}

// TextOptions controls Text.
type TextOptions struct {
	Form      Form                    // empty: Full
	Title     *Title                  // of an overview; may be nil
	Answer    []byte                  // of an overview: what searches and sweeps print
	Answered  func(phase string) bool // phases whose figures Answer has; nil: none
	Verdict   string                  // of an overview, on the run as a whole
	Next      string                  // of an overview: the command to run next
	Requests  bool                    // of Classic: latencies too
	Histogram bool                    // of latencies, for each kind of operation
	Color     bool                    // colour headlines, errors and warnings
	Verbose   bool                    // also requests by host, client and bucket, segments by host, and all known errors
	Location  *time.Location          // for times of day; nil: local time
	Width     int                     // fold lines longer than this, for a terminal; 0: never
	Remarks   []string                // about the run, printed after its figures; in a comparison before them
	Warnings  []string                // of the run, printed before the snapshot's
	Expected  []Expectation           // of a run, printed with its phases
	Partial   bool                    // phases that searches and sweeps have printed are left out
}
