package protocol

import (
	"encoding/json"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/distributed/transport"
	"warp/pkg/gate"
	"warp/pkg/load"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/runinfo"
	"warp/pkg/s3/target"
	"warp/pkg/search"
	"warp/pkg/trace"
)

// Types of messages; see the package comment for who sends which, and when.
const (
	MsgHello          = "hello"
	MsgWelcome        = "welcome"
	MsgClock          = "clock"
	MsgJoin           = "join"
	MsgJoined         = "joined"
	MsgLive           = "live"
	MsgSteps          = "steps"
	MsgCount          = "count"
	MsgFetchData      = "pull"
	MsgDataChunk      = "piece"
	MsgSecrets        = "secrets"
	MsgStart          = "start"
	MsgRunOnce        = "once"
	MsgCreate         = "make"
	MsgCreated        = "made"
	MsgValue          = "value"
	MsgBarrierReached = "meet"
	MsgRelease        = "go"
	MsgStop           = "stop"
	MsgNotice         = "notice"
	MsgMeasured       = "measured"
	MsgEndClock       = "parting"
	MsgBounds         = "bounds"
	MsgWindows        = "windows"
	MsgAggregated     = "aggregated"
	MsgFetch          = "fetch"
	MsgSnapshot       = "snapshot"
	MsgHandedOver     = "handed"
	MsgKeepResults    = "keep"
	MsgDone           = "done"
	MsgBye            = "bye"
)

// Maximum lengths of messages.
const (
	Small  = transport.Small
	Medium = 1 << 20
	Large  = 16 << 20
)

// Wire describes the messages between coordinator and clients.
var Wire = transport.Protocol{
	Version: 12,
	Messages: map[string]int{
		MsgHello: Small, MsgWelcome: Small, MsgClock: Small, MsgJoin: Small, MsgJoined: Small,
		MsgLive: Medium, MsgSteps: Medium, MsgCount: Medium, MsgFetchData: Small, MsgDataChunk: Medium, MsgSecrets: Large, MsgStart: Large,
		MsgRunOnce: Small, MsgCreate: Small, MsgCreated: Medium, MsgValue: Medium,
		MsgBarrierReached: Medium, MsgRelease: Medium, MsgStop: Small, MsgNotice: Small, MsgMeasured: Small, MsgEndClock: Small,
		MsgBounds: Small, MsgWindows: Medium, MsgAggregated: Small, MsgFetch: Small, MsgSnapshot: Small,
		MsgHandedOver: Small, MsgKeepResults: Small, MsgDone: Medium, MsgBye: Small,
	},
	Documents: map[string]int{MsgBounds: 256 << 20, MsgAggregated: 4 << 20, MsgSnapshot: 256 << 20},
}

// Bodies of messages.

// Hello begins a handshake of the coordinator.
type Hello struct {
	Version transport.PeerText `json:"version"` // of warp
	Name    transport.PeerText `json:"name"`    // of the coordinator, for others who find the client busy
}

// Welcome responds to Hello.
type Welcome struct {
	Version  transport.PeerText `json:"version"`
	Instance string             `json:"instance"` // random, of this process
	Host     transport.PeerText `json:"host"`
	Busy     transport.PeerText `json:"busy,omitempty"` // with what, since when
}

// ClockProbe measures the offset of a client's clock: T0 is when the coordinator sent it, T1 and T2 when the client got and
// responded, on the clock that stamps its operations. The clock of the client's system has moved away from that one by Stepped
// since the process began.
type ClockProbe struct {
	T0      int64 `json:"t0"`
	T1      int64 `json:"t1,omitempty"`
	T2      int64 `json:"t2,omitempty"`
	Stepped int64 `json:"stepped_ns,omitempty"`
}

// Join begins or resumes a run on this connection.
type Join struct {
	Run      string `json:"run"`    // random; its secrecy authenticates the coordinator of the run
	Resume   bool   `json:"resume"` // the client has joined this run before
	Received uint64 `json:"received"`
}

// Joined responds to Join.
type Joined struct {
	Received uint64 `json:"received"`
}

// Secrets are the credentials of the store, and what else a plan lacks. No other message has them, and nothing prints this one.
type Secrets struct {
	AccessKey    string `json:"access_key"`
	SecretKey    string `json:"secret_key"`
	SessionToken string `json:"session_token"`
	Bearer       bool   `json:"bearer,omitempty"` // the session token is all that there is
	TLSKey       string `json:"tls_key,omitempty"`

	Authorities string `json:"tls_authorities,omitempty"` // contents of the files that the plan names
	Certificate string `json:"tls_certificate,omitempty"`

	Others [][3]string `json:"others,omitempty"` // further keys: access key, secret key, session token
}

// SetKeys sets the keys that sign requests.
func (s *Secrets) SetKeys(c *target.Credentials) {
	s.AccessKey, s.SecretKey, s.SessionToken = string(c.AccessKey), string(c.SecretKey), string(c.SessionToken)
	s.Bearer = c.Bearer
	for _, k := range c.Others {
		s.Others = append(s.Others, [3]string{string(k.Access), string(k.Secret), string(k.Token)})
	}
}

// Keys returns the keys that sign requests.
func (s *Secrets) Keys() target.Credentials {
	c := target.Credentials{
		AccessKey:    target.Secret(s.AccessKey),
		SecretKey:    target.Secret(s.SecretKey),
		SessionToken: target.Secret(s.SessionToken),
		Bearer:       s.Bearer,
	}
	for _, k := range s.Others {
		c.Others = append(c.Others, target.Key{Access: target.Secret(k[0]), Secret: target.Secret(k[1]), Token: target.Secret(k[2])})
	}
	return c
}

// Start is the run that the client is to perform.
type Start struct {
	Plan        *bench.Plan     `json:"plan"`
	Share       load.Share      `json:"share"`
	ID          string          `json:"id"` // of the client in recordings
	Name        string          `json:"name"`
	Clock       runinfo.Clock   `json:"clock"`              // of the client
	StartAt     int64           `json:"start_at,omitempty"` // earliest start of the benchmark
	Config      json.RawMessage `json:"config,omitempty"`   // for the header of the recording
	CommandLine string          `json:"command_line,omitempty"`
	Points      bool            `json:"points,omitempty"` // send points with live: the coordinator looks for stability
	Counts      bool            `json:"counts,omitempty"` // send counts: the coordinator shows them
	Traces      []TraceFile     `json:"traces,omitempty"` // parts for this client of those that the plan replays
	Options     Statistics      `json:"options"`
	Watches     []Watch         `json:"watches,omitempty"`
}

// Watch is sliding windows of a stream, whose operations each client counts for the coordinator.
type Watch struct {
	Stream string        `json:"stream,omitempty"`
	Over   time.Duration `json:"over_ns"`
}

// Steps are operations of the client in the windows of a watch. All that ended before UpTo, on the coordinator's clock, have been sent,
// unless the client stalled; 0: more follow.
type Steps struct {
	Watch int         `json:"watch"` // its number
	Steps []gate.Step `json:"steps,omitempty"`
	UpTo  int64       `json:"up_to,omitempty"`
}

// MaxSteps is how many steps a message has at most.
const MaxSteps = 20

// Statistics is aggregate.Options, without those for windows, which the coordinator finds.
type Statistics struct {
	Segment time.Duration `json:"segment_ns,omitempty"`
	Skip    time.Duration `json:"skip_ns,omitempty"`
	Op      op.Kind       `json:"op,omitempty"`
	Host    string        `json:"host,omitempty"`

	HostSegments bool `json:"host_segments,omitempty"`
	SegmentTimes bool `json:"segment_times,omitempty"`
	HostCounts   bool `json:"host_counts,omitempty"`
}

// StatisticsOf returns options for a client.
func StatisticsOf(o aggregate.Options) Statistics {
	return Statistics{
		Segment:      o.Segment,
		Skip:         o.Skip,
		Op:           o.Op,
		Host:         o.Host,
		HostSegments: o.HostSegments,
		SegmentTimes: o.SegmentTimes,
		HostCounts:   o.HostCounts,
	}
}

// Aggregate returns the options of the client's statistics.
func (s *Statistics) Aggregate() aggregate.Options {
	return aggregate.Options{
		Segment:      s.Segment,
		Skip:         s.Skip,
		Op:           s.Op,
		Host:         s.Host,
		HostSegments: s.HostSegments,
		SegmentTimes: s.SegmentTimes,
		HostCounts:   s.HostCounts,
	}
}

// SharedValue requests a value that one client makes for all, or carries it (messages "once", "make", "made" and "value").
type SharedValue struct {
	Key   string             `json:"key"`
	Bytes []byte             `json:"bytes,omitempty"`
	Err   transport.PeerText `json:"error,omitempty"`
}

// Arrival is a client at a barrier (message "meet").
type Arrival struct {
	N       int                `json:"n"` // counts the barriers of a client
	Stage   string             `json:"stage"`
	Err     transport.PeerText `json:"error,omitempty"`
	Stopped bool               `json:"stopped,omitempty"` // the error is only that the coordinator stopped it
	Leaving bool               `json:"leaving,omitempty"` // the client is being shut down: once a benchmark has begun, the others go on
	Before  Count              `json:"before,omitzero"`   // progress in the stage before
	Part    *TrialPart         `json:"part,omitempty"`    // of the trial before; nil: there was none
}

// TrialPart is what a client has of a trial of a search.
type TrialPart struct {
	bench.TrialPart
	Limit transport.PeerText `json:"limit,omitempty"`
	Ended transport.PeerText `json:"ended,omitempty"`
}

// Count is the progress of a client in a stage of bench.
type Count struct {
	At    int64  `json:"at"`
	Stage string `json:"stage"`
	Done  uint64 `json:"done"`
	Total uint64 `json:"total,omitempty"` // 0: not known
}

// Release releases a client from a barrier (message "go").
type Release struct {
	N       int                `json:"n"`
	Start   int64              `json:"start,omitempty"` // 0: at once
	Err     transport.PeerText `json:"error,omitempty"`
	Orphans []uint64           `json:"orphans,omitempty"` // see bench.Survivor

	Done  *search.Observation `json:"done,omitempty"`  // the trial before
	Trial *search.Trial       `json:"trial,omitempty"` // that begins; nil: none does
}

// Stop ends the benchmark. Stable: only this phase, because its throughput is stable; nothing is interrupted. Cut: only this
// phase, because of an interrupt; Stable is set too, for clients that do not know it.
type Stop struct {
	Stable bool               `json:"stable,omitempty"`
	Cut    bool               `json:"cut,omitempty"`
	Phase  int                `json:"phase,omitempty"`
	At     int64              `json:"at,omitempty"` // when all clients stop; 0: at once
	Reason transport.PeerText `json:"reason,omitempty"`
}

// Notice is a message of a client for the user.
type Notice struct {
	Text transport.PeerText `json:"text"`
}

// RunEnd is how the benchmark went on a client.
type RunEnd struct {
	Interrupted bool                `json:"interrupted,omitempty"`
	Stable      bool                `json:"stable,omitempty"`
	Warnings    transport.PeerTexts `json:"warnings,omitempty"`
	Notes       transport.PeerTexts `json:"notes,omitempty"`
	Connections work.Connections    `json:"connections,omitzero"` // without TLS
	TLS         transport.PeerTexts `json:"tls,omitempty"`
	Engine      transport.PeerText  `json:"engine,omitempty"` // what sent the requests
	Schedules   []Schedule          `json:"schedules,omitempty"`
	Contents    []Contents          `json:"contents,omitempty"`
	Replays     []Replay            `json:"replays,omitempty"`
	Client      *observe.Summary    `json:"client,omitempty"` // how the client itself did while it measured
}

// Schedule is how a client kept the schedule of a stream.
type Schedule struct {
	Stream transport.PeerText `json:"stream,omitempty"`
	bench.ScheduleStats
}

// Replay is what a client did of a trace.
type Replay struct {
	Stream transport.PeerText `json:"stream,omitempty"`
	trace.Replayed
}

// Contents is what a client found out about the contents of a data set.
type Contents struct {
	Set transport.PeerText `json:"data_set,omitempty"`
	bench.ContentStats
}

// EndClock is the clock of a client after the measurement (message "parting"); nil: not known.
type EndClock struct {
	Clock *runinfo.Clock `json:"clock"`
}

// Bounds are the times from which the coordinator finds the common windows.
type Bounds struct {
	Bounds   *aggregate.Bounds  `json:"bounds"`
	Cut      transport.PeerText `json:"cut,omitempty"`      // why they cover only a part of the benchmark; empty: all of it
	Phases   int                `json:"phases,omitempty"`   // with Cut: that the client finished
	Finished *aggregate.Bounds  `json:"finished,omitempty"` // of these phases alone; nil: none of them measured anything
}

// Windows are the windows that all clients have in common. Finished: the client hands over only the phases that it finished.
type Windows struct {
	Windows  *aggregate.Windows `json:"windows"`
	Finished bool               `json:"finished,omitempty"`
}

// Snapshot are the statistics of a client.
type Snapshot struct {
	Snapshot *aggregate.Snapshot `json:"snapshot"`
}

// Fetch requests a part of the results.
type Fetch struct {
	What string `json:"what"` // "snapshot" or "recording"
}

// HandedOver ends the handover of a recording (message "handed").
type HandedOver struct {
	Operations int64 `json:"operations"`
	Bytes      int64 `json:"bytes"`
}

// Done is the last message of a client.
type Done struct {
	Interrupted bool                `json:"interrupted,omitempty"`
	Stable      bool                `json:"stable,omitempty"`
	Warnings    transport.PeerTexts `json:"warnings,omitempty"`
	Err         transport.PeerText  `json:"error,omitempty"`
	Left        bool                `json:"left,omitempty"`      // its clean-up could not remove everything
	Stopped     bool                `json:"stopped,omitempty"`   // the error is only that the coordinator stopped it
	Recording   transport.PeerText  `json:"recording,omitempty"` // where the client keeps its own
	Before      Count               `json:"before,omitzero"`     // its last progress
}

// StageOrder is the position of a stage in a run; negative: unknown.
func StageOrder(stage string) int {
	switch stage {
	case bench.StagePrepare:
		return 0
	case bench.StageBenchmark, bench.StageTrial:
		return 1
	case bench.StageCleanup:
		return 2
	case bench.StageRemove:
		return 3
	}
	return -1
}

// Known reports whether the stage exists: the coordinator keeps state for each one.
func (k *Count) Known() bool {
	return k.Stage == "" || k.Stage == StageReport || StageOrder(k.Stage) >= 0
}

// AfterBenchmarks reports whether a stage comes after all benchmarks.
func AfterBenchmarks(stage string) bool { return StageOrder(stage) > StageOrder(bench.StageBenchmark) }

// StageReport is the stage of a client that computes its statistics and hands them over.
const StageReport = "report"

// MaxNotices is how many notices of a client are forwarded in a run.
const MaxNotices = 100

// MaxPending is for how many seconds a live message has points at most.
const MaxPending = 10
