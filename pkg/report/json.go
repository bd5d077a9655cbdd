package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/observe"
	"warp/pkg/search"
	"warp/pkg/trace"
)

// Version is the version of the JSON written by JSON. It is incremented when a field changes its meaning or is removed;
// added fields leave it unchanged.
const Version = 1

// Document is the input of JSON: a run and what was measured.
type Document struct {
	WarpVersion string
	Command     string              // "get", "mixed", "analyze", ...
	Plan        json.RawMessage     // what was run, without secrets; empty if unknown
	Environment any                 // where it was run; nil if unknown
	Client      any                 // resource usage of the client; nil if unknown
	Connections any                 // connections and redirects; nil if unknown
	Clients     []any               // each of several clients; nil for one, or if unknown
	Engine      string              // what sent the requests; empty if unknown
	Embedded    bool                // the store was the server that is embedded in warp
	Warnings    []string            // of the run, in addition to the snapshot's
	Limits      []observe.Limit     // in which ways clients were the bottleneck
	Notes       []string            // what workloads say of their run
	Expected    []Expectation       // rules that streams had to meet
	Rulings     []Ruling            // on all rules, those of Expected too
	Schedules   []Schedule          // how the schedules of open loops were kept
	Contents    []Contents          // of what was uploaded
	Replays     []trace.Replayed    // what replays of traces did
	Marks       []Mark              // moments that a person marked
	Searches    []search.Record     // of phases that looked for the highest load
	Baseline    int                 // version of the baseline that was measured; 0: none
	Sweeps      []search.Sweep      // of which phases are points
	LoadCurves  []*LoadCurve        // of loads that change over time
	Incomplete  []string            // why the run or its recording is incomplete; empty if complete
	Snapshot    *aggregate.Snapshot // may be nil
}

// Schedule is how the schedule of an open loop was kept, in JSON.
type Schedule struct {
	Stream   string  `json:"stream,omitempty"`
	Duration float64 `json:"duration_s"`
	Planned  float64 `json:"planned_per_sec"`
	Achieved float64 `json:"achieved_per_sec"`
	Due      uint64  `json:"due"`
	Sent     uint64  `json:"sent"`
	Late     uint64  `json:"late"`
	Unsent   uint64  `json:"unsent"`

	UnsentOwn uint64   `json:"unsent_own"`
	Own       Lateness `json:"own_late"`
	Busy      Lateness `json:"busy_late"`
	Most      int      `json:"most_at_a_time"`
}

// Lateness is how late turns of an open loop started for one reason, in JSON.
type Lateness struct {
	Turns   uint64  `json:"turns"`
	Average float64 `json:"avg_ms"`
	Most    float64 `json:"max_ms"`
}

// Mark is a moment that a person marked, in JSON.
type Mark struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Contents is how far the contents of a data set compress and repeat, in JSON.
type Contents struct {
	Set            string  `json:"data_set,omitempty"`
	ZstdRatio      float64 `json:"zstd_ratio"`
	DuplicateShare float64 `json:"duplicate_share"`
	DuplicateBlock int64   `json:"duplicate_block_bytes"`
	Bytes          int64   `json:"examined_bytes"`
	Objects        uint64  `json:"examined_objects"`
	Uploaded       uint64  `json:"uploaded_objects"`
}

// The types below are the JSON itself, described field by field in docs/json.md. Figures that do not exist (no samples,
// too few samples for a percentile, no open loop) are omitted rather than null or 0.
type (
	documentJSON struct {
		Version     int             `json:"version"`
		WarpVersion string          `json:"warp_version"`
		Command     string          `json:"command"`
		Plan        json.RawMessage `json:"plan,omitempty"`
		Environment any             `json:"environment,omitempty"`
		Engine      string          `json:"engine,omitempty"`
		Embedded    bool            `json:"embedded_server,omitempty"`
		Client      any             `json:"client,omitempty"`
		Connections any             `json:"connections,omitempty"`
		Clients     []any           `json:"clients,omitempty"`
		Warnings    []string        `json:"warnings"`
		Limits      []observe.Limit `json:"client_limits,omitempty"`
		Notes       []string        `json:"notes,omitempty"`
		Expected    []Expectation   `json:"expectations,omitempty"`
		Rulings     []Ruling        `json:"rules,omitempty"`
		Schedules   []Schedule      `json:"schedules,omitempty"`
		Contents    []Contents      `json:"contents,omitempty"`
		Replays     []replayJSON    `json:"replays,omitempty"`
		Marks       []Mark          `json:"marks,omitempty"`
		Baseline    int             `json:"baseline,omitempty"`
		Search      *searchJSON     `json:"search,omitempty"`
		Searches    []searchJSON    `json:"searches,omitempty"`
		Sweep       *sweepJSON      `json:"sweep,omitempty"`
		Sweeps      []sweepJSON     `json:"sweeps,omitempty"`
		LoadCurves  []loadCurveJSON `json:"load_curves,omitempty"`
		Incomplete  []string        `json:"incomplete,omitempty"`
		Operations  []operationJSON `json:"operations"`
		Total       *totalJSON      `json:"total,omitempty"`
		Totals      []phaseJSON     `json:"totals,omitempty"`
	}

	operationJSON struct {
		Op            string              `json:"op"`
		Phase         string              `json:"phase,omitempty"`
		Whole         bool                `json:"whole,omitempty"`
		Requests      int64               `json:"requests"`
		Considered    int64               `json:"considered"`
		Errors        int64               `json:"errors"`
		Resent        int64               `json:"resent,omitempty"`
		ErrorsByClass map[string]int64    `json:"errors_by_class,omitempty"`
		ErrorsByTime  []errorsJSON        `json:"errors_by_segment,omitempty"`
		FirstErrors   []errorJSON         `json:"first_errors,omitempty"`
		Concurrency   int                 `json:"concurrency"`
		Clients       int                 `json:"clients"`
		Hosts         []string            `json:"hosts"`
		Start         *time.Time          `json:"start,omitempty"`
		End           *time.Time          `json:"end,omitempty"`
		Duration      float64             `json:"duration_s"`
		LooseWindow   bool                `json:"loose_window,omitempty"`
		Window        *windowJSON         `json:"window,omitempty"`
		Ran           float64             `json:"ran_s"`
		ObjectsPerOp  float64             `json:"objects_per_op"`
		Size          float64             `json:"size_bytes"`
		MinSize       *int64              `json:"min_size_bytes,omitempty"`
		MaxSize       *int64              `json:"max_size_bytes,omitempty"`
		Throughput    throughputJSON      `json:"throughput"`
		Segments      *segmentsJSON       `json:"segments,omitempty"`
		Latency       *latencyJSON        `json:"latency_ms,omitempty"`
		Service       *latencyJSON        `json:"service_ms,omitempty"`
		TTFB          *latencyJSON        `json:"ttfb_ms,omitempty"`
		Own           *latencyJSON        `json:"own_ms,omitempty"`
		OwnMeasured   int64               `json:"own_measured,omitempty"`
		OwnLate       *latencyJSON        `json:"own_late_ms,omitempty"`
		ApproxLatency *approxJSON         `json:"approx_latency_ms,omitempty"`
		ApproxTTFB    *approxJSON         `json:"approx_ttfb_ms,omitempty"`
		First         *latencyJSON        `json:"first_access_ms,omitempty"`
		FirstTTFB     *latencyJSON        `json:"first_access_ttfb_ms,omitempty"`
		Last          *latencyJSON        `json:"last_access_ms,omitempty"`
		LastTTFB      *latencyJSON        `json:"last_access_ttfb_ms,omitempty"`
		ByHost        map[string]partJSON `json:"by_host,omitempty"`
		ByClient      map[string]partJSON `json:"by_client,omitempty"`
		ByBucket      map[string]partJSON `json:"by_bucket,omitempty"`
		BySize        []sizeJSON          `json:"by_size,omitempty"`
		Used          *usedJSON           `json:"objects_used,omitempty"`
	}

	phaseJSON struct {
		Phase       string         `json:"phase,omitempty"`
		Streams     []string       `json:"streams,omitempty"`
		Requests    int64          `json:"requests"`
		Errors      int64          `json:"errors"`
		Concurrency int            `json:"concurrency"`
		Start       *time.Time     `json:"start,omitempty"`
		End         *time.Time     `json:"end,omitempty"`
		Duration    float64        `json:"duration_s"`
		LooseWindow bool           `json:"loose_window,omitempty"`
		Window      *windowJSON    `json:"window,omitempty"`
		Ran         float64        `json:"ran_s"`
		Throughput  throughputJSON `json:"throughput"`
		Segments    *segmentsJSON  `json:"segments,omitempty"`
	}

	totalJSON struct {
		Throughput throughputJSON `json:"throughput"`
		Used       *usedJSON      `json:"objects_used,omitempty"`
	}

	throughputJSON struct {
		Bytes   float64 `json:"bytes_per_sec"`
		Objects float64 `json:"objects_per_sec"`
		Ops     float64 `json:"ops_per_sec"`
	}

	segmentsJSON struct {
		Duration float64     `json:"duration_s"`
		Count    int         `json:"count"`
		Metric   string      `json:"metric"`
		Fastest  segmentJSON `json:"fastest"`
		Median   segmentJSON `json:"median"`
		Slowest  segmentJSON `json:"slowest"`
		Rest     *restJSON   `json:"rest,omitempty"`
	}

	restJSON struct {
		Ended   int64   `json:"ops_ended"`
		Errors  int64   `json:"errors"`
		Bytes   float64 `json:"bytes"`
		Objects float64 `json:"objects"`
	}

	windowJSON struct {
		Rule     string    `json:"rule"`
		Sending  float64   `json:"sending_s"`
		Begun    *edgeJSON `json:"begun_by,omitempty"`
		Ended    *edgeJSON `json:"ended_by,omitempty"`
		InFlight int64     `json:"in_flight_at_end,omitempty"`
		Longest  *edgeJSON `json:"longest_in_flight,omitempty"`
		Drain    float64   `json:"drain_s,omitempty"`
	}

	edgeJSON struct {
		Client string     `json:"client_id,omitempty"`
		Thread *uint32    `json:"thread,omitempty"`
		At     *time.Time `json:"at,omitempty"`
		Op     string     `json:"op,omitempty"`
		Host   string     `json:"host,omitempty"`
		Key    string     `json:"key,omitempty"`
		Took   float64    `json:"took_ms,omitempty"`
	}

	segmentJSON struct {
		Start   time.Time `json:"start"`
		Bytes   float64   `json:"bytes_per_sec"`
		Objects float64   `json:"objects_per_sec"`
	}

	latencyJSON struct {
		Avg    float64  `json:"avg"`
		Min    float64  `json:"min"`
		P25    *float64 `json:"p25,omitempty"`
		P50    *float64 `json:"p50,omitempty"`
		P75    *float64 `json:"p75,omitempty"`
		P90    *float64 `json:"p90,omitempty"`
		P95    *float64 `json:"p95,omitempty"`
		P99    *float64 `json:"p99,omitempty"`
		P999   *float64 `json:"p99_9,omitempty"`
		Max    float64  `json:"max"`
		StdDev float64  `json:"stddev"`
	}

	approxJSON struct {
		Requests int64    `json:"requests"`
		Avg      float64  `json:"avg"`
		Min      *float64 `json:"min,omitempty"`
		P25      *float64 `json:"p25,omitempty"`
		P50      *float64 `json:"p50,omitempty"`
		P75      *float64 `json:"p75,omitempty"`
		P90      *float64 `json:"p90,omitempty"`
		P99      *float64 `json:"p99,omitempty"`
		Max      *float64 `json:"max,omitempty"`
		StdDev   *float64 `json:"stddev,omitempty"`
	}

	partJSON struct {
		Requests   int64            `json:"requests"`
		Errors     int64            `json:"errors"`
		ByClass    map[string]int64 `json:"errors_by_class,omitempty"`
		Throughput throughputJSON   `json:"throughput"`
		Latency    *latencyJSON     `json:"latency_ms,omitempty"`
		TTFB       *latencyJSON     `json:"ttfb_ms,omitempty"`
		Own        *latencyJSON     `json:"own_ms,omitempty"`
		OwnLate    *latencyJSON     `json:"own_late_ms,omitempty"`
	}

	sizeJSON struct {
		From     int64            `json:"from_bytes"`
		To       int64            `json:"to_bytes"`
		Requests int64            `json:"requests"`
		Bytes    int64            `json:"bytes"`
		Request  *requestRateJSON `json:"request_bytes_per_sec,omitempty"`
		Latency  *latencyJSON     `json:"latency_ms,omitempty"`
		TTFB     *latencyJSON     `json:"ttfb_ms,omitempty"`
	}

	requestRateJSON struct {
		Avg    float64  `json:"avg"`
		Min    float64  `json:"min"`
		P1     *float64 `json:"p1,omitempty"`
		P10    *float64 `json:"p10,omitempty"`
		P50    *float64 `json:"p50,omitempty"`
		Max    float64  `json:"max"`
		StdDev float64  `json:"stddev"`
	}

	errorsJSON struct {
		Start   time.Time        `json:"start"`
		Errors  int64            `json:"errors"`
		ByClass map[string]int64 `json:"errors_by_class,omitempty"`
	}

	errorJSON struct {
		Time  time.Time `json:"time"`
		Host  string    `json:"host"`
		Key   string    `json:"key,omitempty"`
		Error string    `json:"error"`
	}
)

// JSON writes doc as one indented JSON object and a newline.
func JSON(w io.Writer, doc Document) error {
	out := documentJSON{
		Version:     Version,
		WarpVersion: doc.WarpVersion,
		Command:     doc.Command,
		Plan:        doc.Plan,
		Environment: doc.Environment,
		Engine:      doc.Engine,
		Embedded:    doc.Embedded,
		Baseline:    doc.Baseline,
		Client:      doc.Client,
		Connections: doc.Connections,
		Clients:     doc.Clients,
		Warnings:    append([]string{}, doc.Warnings...),
		Limits:      doc.Limits,
		Notes:       doc.Notes,
		Expected:    doc.Expected,
		Rulings:     doc.Rulings,
		Schedules:   doc.Schedules,
		Contents:    doc.Contents,
		Replays:     replaysJSON(doc.Replays),
		Marks:       doc.Marks,
		Incomplete:  doc.Incomplete,
		Operations:  []operationJSON{},
	}
	for i := range doc.Searches {
		out.Searches = append(out.Searches, searchOf(&doc.Searches[i]))
	}
	if len(out.Searches) == 1 {
		out.Search, out.Searches = &out.Searches[0], nil
	}
	for _, c := range doc.LoadCurves {
		out.LoadCurves = append(out.LoadCurves, loadCurveOf(c))
	}
	if s := doc.Snapshot; s != nil {
		for i := range doc.Sweeps {
			out.Sweeps = append(out.Sweeps, sweepOf(&doc.Sweeps[i], s))
		}
		if len(out.Sweeps) == 1 {
			out.Sweep, out.Sweeps = &out.Sweeps[0], nil
		}
		out.Warnings = append(out.Warnings, s.Warnings...)
		for _, g := range s.Groups {
			out.Operations = append(out.Operations, operationOf(g, s.Segment))
		}
		out.Total = totalThroughput(s)
		if severalPhases(s) {
			for _, g := range s.Totals {
				out.Totals = append(out.Totals, phaseOf(operationOf(g, s.Segment), g.Streams))
			}
		}
	}
	return writeJSON(w, "report", out)
}

// writeJSON writes v as one indented JSON object and a newline; what names it in the error.
func writeJSON(w io.Writer, what string, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write %s as JSON: %w", what, err)
	}
	return nil
}

// totalThroughput returns the throughput of the only phase other than preparation. There is no total over several
// phases, or over kinds that ran one after the other.
func totalThroughput(s *aggregate.Snapshot) *totalJSON {
	var measured []*aggregate.Group
	for _, g := range s.Groups {
		if !isPreparation(g) && !g.Kind.Whole() {
			measured = append(measured, g)
		}
	}
	if len(measured) == 0 {
		return nil
	}
	total := measured[0]
	if len(measured) > 1 {
		total = totalOf(s, total.Phase)
	}
	for _, g := range measured {
		if total == nil || g.Phase != total.Phase {
			return nil
		}
	}
	return &totalJSON{throughputOf(&total.Part, total.Window), usedOf(total.Touched)}
}
