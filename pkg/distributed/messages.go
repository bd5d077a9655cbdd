package distributed

import (
	"encoding/json"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/hist"
	"warp/pkg/load"
	"warp/pkg/op"
)

// Bodies of messages.

type challenge struct {
	Protocol int    `json:"protocol"`
	Token    bool   `json:"token"` // whether one is needed, so that a coordinator without can say so
	Nonce    []byte `json:"nonce"`
}

type proofBody struct {
	Protocol int    `json:"protocol"`
	Nonce    []byte `json:"nonce"`
	MAC      []byte `json:"mac"`
}

type accept struct {
	MAC []byte `json:"mac"`
}

// refuse ends a connection. Final: coming back makes no sense.
type refuse struct {
	Reason peerText `json:"reason"`
	Final  bool     `json:"final,omitempty"`
}

type hello struct {
	Version peerText `json:"version"` // of warp
	Name    peerText `json:"name"`    // of the coordinator, for others who find the client busy
}

type welcome struct {
	Version  peerText `json:"version"`
	Instance string   `json:"instance"` // made by chance when the process began
	Host     peerText `json:"host"`
	Busy     peerText `json:"busy,omitempty"` // with what, since when
}

// clockProbe measures the offset of a client's clock: T0 is when the coordinator sent it, T1 and T2 when the client got and
// answered it, on the clock that stamps its operations. The clock of the client's system has moved away from that one by Stepped
// since the process began.
type clockProbe struct {
	T0      int64 `json:"t0"`
	T1      int64 `json:"t1,omitempty"`
	T2      int64 `json:"t2,omitempty"`
	Stepped int64 `json:"stepped_ns,omitempty"`
}

type join struct {
	Run      string `json:"run"`    // made by chance: who knows it is the coordinator of this run
	Resume   bool   `json:"resume"` // the client has joined this run before
	Received uint64 `json:"received"`
}

type joined struct {
	Received uint64 `json:"received"`
}

// secrets are the credentials of the store. They are in no other message, and nothing prints this one.
type secrets struct {
	AccessKey    string `json:"access_key"`
	SecretKey    string `json:"secret_key"`
	SessionToken string `json:"session_token"`
}

type start struct {
	Plan        *bench.Plan     `json:"plan"`
	Share       load.Share      `json:"share"`
	ID          string          `json:"id"` // of the client in recordings
	Name        string          `json:"name"`
	Clock       Clock           `json:"clock"`              // of the client
	StartAt     int64           `json:"start_at,omitempty"` // of the benchmark at the earliest
	Config      json.RawMessage `json:"config,omitempty"`   // for the head of the recording
	CommandLine string          `json:"command_line,omitempty"`
	Points      bool            `json:"points,omitempty"` // send points with live: the coordinator looks for stability
	Options     statistics      `json:"options"`
}

// statistics is aggregate.Options.
type statistics struct {
	Segment time.Duration `json:"segment_ns,omitempty"`
	Skip    time.Duration `json:"skip_ns,omitempty"`
	Op      op.Kind       `json:"op,omitempty"`
	Host    string        `json:"host,omitempty"`

	HostSegments bool `json:"host_segments,omitempty"`
	SegmentTimes bool `json:"segment_times,omitempty"`
}

type once struct {
	Key   string   `json:"key"`
	Bytes []byte   `json:"bytes,omitempty"`
	Err   peerText `json:"error,omitempty"`
}

type meet struct {
	N       int      `json:"n"` // counts the meetings of a client
	Stage   string   `json:"stage"`
	Err     peerText `json:"error,omitempty"`
	Stopped bool     `json:"stopped,omitempty"` // the error is only that the coordinator stopped it
	Before  count    `json:"before,omitzero"`   // what it did in the stage before
}

// count is how far a client has come in a stage of bench.
type count struct {
	At    int64  `json:"at"`
	Stage string `json:"stage"`
	Done  uint64 `json:"done"`
	Total uint64 `json:"total,omitempty"` // 0: not known
}

type begin struct {
	N       int      `json:"n"`
	Start   int64    `json:"start,omitempty"` // 0: at once
	Err     peerText `json:"error,omitempty"`
	Orphans []uint64 `json:"orphans,omitempty"` // see bench.Survivor
}

// stop ends the benchmark. Stable: only this phase, because its throughput is; nothing is interrupted.
type stop struct {
	Stable bool     `json:"stable,omitempty"`
	Phase  int      `json:"phase,omitempty"`
	At     int64    `json:"at,omitempty"` // when all clients stop; 0: at once
	Reason peerText `json:"reason,omitempty"`
}

type notice struct {
	Text peerText `json:"text"`
}

// live is how a client is doing. Counts are since the phase began, so that a lost message loses nothing.
type live struct {
	count
	Phase  string     `json:"phase,omitempty"`
	First  int64      `json:"first,omitempty"` // first start in this phase
	Kinds  []liveKind `json:"kinds,omitempty"`
	Points []points   `json:"points,omitempty"`
}

type liveKind struct {
	Kind    op.Kind `json:"op"`
	Ops     int64   `json:"ops"`
	Errors  int64   `json:"errors"`
	Bytes   int64   `json:"bytes"`
	Objects int64   `json:"objects"`

	Latency *hist.Histogram `json:"latency,omitempty"` // of what ended since the last message
}

// points is the throughput of the last stretches of the phase, of a 25th of it each, newest first.
type points struct {
	Second  int       `json:"second"` // so much of the phase had gone by
	Bytes   []float64 `json:"bytes"`
	Objects []float64 `json:"objects"`
	ByBytes bool      `json:"by_bytes,omitempty"`
}

// parting is how the clock of a client is when it has measured; nil: that is not known.
type parting struct {
	Clock *Clock `json:"clock"`
}

type boundsBody struct {
	Bounds *aggregate.Bounds `json:"bounds"`
	Cut    peerText          `json:"cut,omitempty"` // why these are of a part of what it was to measure; empty: of all
}

type windows struct {
	Windows *aggregate.Windows `json:"windows"`
}

type snapshotBody struct {
	Snapshot *aggregate.Snapshot `json:"snapshot"`
}

type fetch struct {
	What string `json:"what"` // "snapshot" or "recording"
}

// handed ends a recording that was handed over.
type handed struct {
	Operations int64 `json:"operations"`
	Bytes      int64 `json:"bytes"`
}

type done struct {
	Interrupted bool      `json:"interrupted,omitempty"`
	Stable      bool      `json:"stable,omitempty"`
	Warnings    peerTexts `json:"warnings,omitempty"`
	Err         peerText  `json:"error,omitempty"`
	Stopped     bool      `json:"stopped,omitempty"`   // the error is only that the coordinator stopped it
	Recording   peerText  `json:"recording,omitempty"` // where the client keeps its own
	Before      count     `json:"before,omitzero"`     // what it did last
}
