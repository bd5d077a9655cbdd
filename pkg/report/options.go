package report

import "time"

// TextOptions controls Text.
type TextOptions struct {
	Color    bool           // colour headlines, errors and warnings
	Verbose  bool           // also requests by host, client and bucket, segments by host, and all known errors
	Location *time.Location // for times of day; nil: local time
	Width    int            // fold lines longer than this, for a terminal; 0: never
	Remarks  []string       // about the run, printed after its figures; in a comparison before them
	Warnings []string       // of the run, printed before the snapshot's
	Expected []Expectation  // of a run, printed with its phases
	Partial  bool           // phases that searches and sweeps have printed are left out
}
