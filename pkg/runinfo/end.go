package runinfo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/observe"
	"warp/pkg/recording"
	"warp/pkg/search"
	"warp/pkg/trace"
)

// End is what a recording states at its end: how the run went.
type End struct {
	Interrupted bool     `json:"interrupted,omitempty"`
	Stable      bool     `json:"stable,omitempty"`
	Warnings    []string `json:"warnings,omitempty"`
	Notes       []string `json:"notes,omitempty"`      // what workloads say of their run
	Incomplete  []string `json:"incomplete,omitempty"` // of a merged recording: which of its parts are incomplete, and why

	Connections work.Connections      `json:"connections,omitzero"`
	Schedules   []bench.ScheduleStats `json:"schedules,omitempty"` // of open loops
	Contents    []bench.ContentStats  `json:"contents,omitempty"`
	Replays     []trace.Replayed      `json:"replays,omitempty"`
	Searches    []search.Record       `json:"searches,omitempty"` // of phases that look for the highest load
	Marks       []Mark                `json:"marks,omitempty"`    // moments that a person marked
	Engine      string                `json:"engine,omitempty"`   // of a client's recording, whose head is the coordinator's
	aggregate.Trailer

	Client   []observe.Sample `json:"client,omitempty"`    // how the client itself did
	Clients  []ClientReport   `json:"clients,omitempty"`   // of a distributed run: how each client did
	Parts    []PartStats      `json:"parts,omitempty"`     // of a merged recording: how the clients did that made its parts
	ClockEnd *Clock           `json:"clock_end,omitempty"` // of a client's recording: its clock when it had measured
}

// Mark is a moment that a person marked while the run went on, or at which they changed its rate.
type Mark struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// String returns the line about it in a report.
func (m Mark) String() string {
	return fmt.Sprintf("Mark at %s: %s", m.At.Local().Format("15:04:05"), m.Text)
}

// EndOf returns how a run here went, with the samples that its client took of itself, and the moments that were marked.
func EndOf(r *bench.Result, samples []observe.Sample, marks []Mark) *End {
	end := &End{
		Marks: marks, Interrupted: r.Interrupted, Stable: r.Stable, Warnings: r.Warnings, Notes: r.Notes, Connections: r.Connections,
		Schedules: r.Schedules, Contents: r.Contents, Replays: r.Replays, Searches: r.Searches, Client: samples,
	}
	end.fit(longestEnd)
	return end
}

// ParseEnd returns what a recording states at its end; nothing if that cannot be understood.
func ParseEnd(text json.RawMessage) (end End) {
	if json.Unmarshal(text, &end) != nil {
		return End{}
	}
	return end
}

// StoppedEarly is why a recording is incomplete whose run was stopped.
const StoppedEarly = "the run was stopped before its time, so it is shorter than planned"

// incomplete says why the run of a recording is incomplete, if its end says so.
func (e *End) incomplete(name string) []string {
	if e.Interrupted && len(e.Incomplete) == 0 {
		return Prefixed(name, []string{StoppedEarly})
	}
	return e.Incomplete
}

// parts are the clients of one of several recordings, summed up over the time that all of them have in common. A merged
// recording has the ends of its own parts. clients are the names of the recording's clients.
func (e *End) parts(name string, clients []string, from, to time.Time) []PartStats {
	if len(e.Client) == 0 || to.IsZero() {
		return e.Parts
	}
	return append([]PartStats{{name, observe.Summarize(e.Client, from, to), clients}}, e.Parts...)
}

// nth returns an element of a list, or nothing.
func nth(list [][]string, i int) []string {
	if i >= len(list) {
		return nil
	}
	return list[i]
}

// MergeTee finds the windows of a merged recording, and makes its end: what the ends of its parts state, and what the merge
// itself found. So an analysis of it says no less than one of the parts.
type MergeTee struct {
	*aggregate.Bounds
	Inputs []recording.Input
	Known  *End // what is known of the parts; nil: their ends say it
}

// NewMergeTee returns a tee for a merge of inputs; known is the end, if that does not follow from theirs.
func NewMergeTee(inputs []recording.Input, known *End) MergeTee {
	return MergeTee{aggregate.NewBounds(WithPlans(aggregate.Options{}, headersOf(inputs)...)), inputs, known}
}

// End is what the merged recording states at its end.
func (t MergeTee) End(m *recording.Merged) any {
	windows := aggregate.Trailer{Windows: t.Windows()}
	if t.Known != nil {
		end := *t.Known
		end.Trailer = windows
		end.fit(longestEnd)
		return &end
	}
	end := &End{Warnings: m.Warnings, Incomplete: m.Incomplete, Trailer: windows}
	from, to := windows.Windows.Benchmark()
	for i, text := range m.Ends {
		one, name := ParseEnd(text), t.Inputs[i].Name
		end.Interrupted = end.Interrupted || one.Interrupted
		end.Incomplete = append(end.Incomplete, one.incomplete(name)...)
		end.Warnings = append(end.Warnings, Prefixed(name, one.Warnings)...)
		end.Notes = append(end.Notes, Prefixed(name, one.Notes)...)
		end.Clients = append(end.Clients, one.Clients...)
		end.Parts = append(end.Parts, one.parts(name, nth(m.Clients, i), from, to)...)
		end.Marks = append(end.Marks, one.Marks...)
		end.Engine = cmp.Or(end.Engine, one.Engine)
		end.Connections.Add(one.Connections)
		end.Schedules = bench.AddSchedules(end.Schedules, one.Schedules)
		end.Contents = bench.AddContents(end.Contents, one.Contents)
		end.Replays = trace.AddReplayed(end.Replays, one.Replays)
		if len(end.Searches) == 0 {
			end.Searches = one.Searches // each client has the trials of all
		}
	}
	end.fit(longestEnd)
	return end
}

// longestEnd is how long an end may be, as JSON: readers skip a comment that is longer than a row may be.
const longestEnd = recording.MaxRow / 2

// keptWarnings is how many warnings stay if there are too many for one comment.
const keptWarnings = 1000

// fit shortens the end of a recording of very many clients. It drops the statistics of clients that were not the limit first,
// then what else is known of clients, then warnings.
func (e *End) fit(limit int) {
	if e.size() <= limit {
		return
	}
	var all []string
	for i := range e.Parts {
		for _, l := range e.Parts[i].Self.Limits() {
			all = append(all, Prefixed(e.Parts[i].Recording, []string{l.String()})...)
		}
	}
	all = append(all, e.Warnings...)
	e.Parts, e.Warnings = nil, all
	e.Clients = slices.Clone(e.Clients)
	for i := range e.Clients {
		e.Clients[i].Self, e.Clients[i].Limits = nil, nil // the warnings name them
	}
	if e.size() <= limit {
		return
	}
	e.Clients = nil
	for kept := min(len(all), keptWarnings); kept > 0 && e.size() > limit; kept /= 2 {
		e.Warnings = all[:kept:kept]
		if more := len(all) - kept; more > 0 {
			e.Warnings = append(e.Warnings, fmt.Sprintf("%d more warnings are not kept in this recording", more))
		}
	}
}

// size is how long the end is as a comment.
func (e *End) size() int {
	text, err := json.Marshal(e)
	if err != nil {
		return 0 // the writer reports it
	}
	return len(text)
}
