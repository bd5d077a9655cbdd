// Package finding holds the results of an examination of a store, for reports.
package finding

import "time"

// Address is an IP address of a host.
type Address struct {
	IP      string  `json:"ip"`
	Connect float64 `json:"connect_ms"` // TCP alone
	Error   string  `json:"error,omitempty"`
}

// TLS describes a handshake with a host.
type TLS struct {
	Version     string       `json:"version,omitempty"`
	Cipher      string       `json:"cipher,omitempty"`
	KeyExchange string       `json:"key_exchange,omitempty"`
	HTTP2       bool         `json:"http2"` // the host offers it
	Handshake   float64      `json:"handshake_ms,omitempty"`
	Error       string       `json:"error,omitempty"` // of the handshake
	Certificate *Certificate `json:"certificate,omitempty"`
}

// Certificate is the certificate of a host.
type Certificate struct {
	Names   []string  `json:"names"`
	Issuer  string    `json:"issuer"`
	Expires time.Time `json:"expires"`
	Error   string    `json:"error,omitempty"` // why it is not valid for the host
}

// Report is the result of an examination.
type Report struct {
	Store    []Fact   `json:"store,omitempty"` // facts about a store of another kind than S3
	Hosts    []*Host  `json:"hosts"`
	Bucket   Bucket   `json:"bucket"`
	Checks   []Check  `json:"checks"`   // through the first host that can be used; see Host.Differs
	Problems []string `json:"problems"` // reasons for a benchmark to fail, in one line each
	Warnings []string `json:"warnings"` // reasons for worse figures, and risks

	Embedded    bool `json:"embedded_server,omitempty"` // the store is the server embedded in warp, since no host was given
	Leftovers   int  `json:"leftovers,omitempty"`       // objects, versions and uploads of killed examinations that were removed
	Interrupted bool `json:"interrupted,omitempty"`     // not all was checked
}

// Fact is something about a store, its account or its bucket.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// OK reports whether a benchmark can run.
func (r *Report) OK() bool { return len(r.Problems) == 0 && !r.Interrupted }

// Bucket describes a bucket.
type Bucket struct {
	Name       string `json:"name"`
	Made       bool   `json:"made"`                  // for the examination; it was removed afterwards
	Region     string `json:"region"`                // in signatures of requests
	Said       string `json:"said_region,omitempty"` // of the bucket, by the server
	Versioning string `json:"versioning,omitempty"`  // Enabled, Suspended, Never; empty: not known
	Lock       string `json:"object_lock,omitempty"` // None, Enabled, Default (objects are locked when they are put); empty: not known
}

// States of a bucket that S3 has no names for.
const (
	VersionsNever = "Never"
	LockNone      = "None"
	LockEnabled   = "Enabled"
	LockDefault   = "Default"
)

// Result is the result of a check.
type Result string

// Results of checks.
const (
	Yes     Result = "yes"
	Ignored Result = "ignored" // the server accepts it, but does something else
	No      Result = "no"      // the server refuses it
	Denied  Result = "denied"  // the key may not do it
	Failed  Result = "failed"
	Untried Result = "not tried"
)

// Check is one operation or option that was tried.
type Check struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	Right  string `json:"right"` // S3's name of the permission
	Result Result `json:"result"`
	Status int    `json:"status,omitempty"` // of the response that decided
	Detail string `json:"detail,omitempty"`
}

// Host describes a host.
type Host struct {
	URL         string       `json:"url"`
	Proxy       string       `json:"proxy,omitempty"` // requests go through
	Addresses   []Address    `json:"addresses,omitempty"`
	TLS         *TLS         `json:"tls,omitempty"`
	Server      string       `json:"server,omitempty"` // its header Server
	Clock       *Clock       `json:"clock,omitempty"`
	RoundTrips  []RoundTrip  `json:"round_trips,omitempty"`
	Connections *Connections `json:"connections,omitempty"`
	DelayedACK  []string     `json:"delayed_ack,omitempty"` // kinds of requests that show signs of it
	Problem     string       `json:"problem,omitempty"`     // why it cannot be used
	Differs     []Check      `json:"differs,omitempty"`     // checks whose results differ from the first host's
}

// Clock compares the clock of a host with this machine's; a positive offset is ahead.
type Clock struct {
	Offset float64 `json:"offset_ms"`
	Error  float64 `json:"error_ms"` // maximum error of the offset, in both directions
}

// RoundTrip is the time of small requests of a kind on a kept connection.
type RoundTrip struct {
	Kind     string  `json:"kind"`
	Requests int     `json:"requests"`
	Median   float64 `json:"median_ms"`
	Min      float64 `json:"min_ms"`
	Max      float64 `json:"max_ms"`
}

// Connections is the number of connections that sequential requests needed.
type Connections struct {
	Requests int `json:"requests"`
	Made     int `json:"made"`
}
