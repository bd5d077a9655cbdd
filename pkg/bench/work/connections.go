package work

import (
	"slices"
	"time"

	"warp/pkg/op"
	"warp/pkg/s3"
)

// Connections counts the measured requests and the connections made for them, without the preparation's. The time to make a connection
// (name lookup, TCP, TLS) is part of the latency of the operation that needed it.
type Connections struct {
	Requests  uint64        `json:"requests,omitempty"` // including requests sent again
	Made      uint64        `json:"made"`
	Spent     time.Duration `json:"spent_ns"`      // on all connections together
	Longest   time.Duration `json:"longest_ns"`    // on a single connection
	TLS       []string      `json:"tls,omitempty"` // negotiated versions and ciphers, including the preparation's
	Redirects Redirects     `json:"redirects,omitzero"`
	Methods   s3.Methods    `json:"methods,omitzero"` // of all requests of the run up to its clean-up
	HTTP2     HTTP2         `json:"http2,omitzero"`
	Kinds     []KindSent    `json:"kinds,omitempty"` // requests by kind of operation

	Sessions s3.DirectorySessions `json:"directory_sessions,omitzero"` // likewise, of the run up to its clean-up
}

// HTTP2 counts the HTTP/2 streams of requests, and the connections that carried them, whenever these were made.
type HTTP2 struct {
	Streams     uint64 `json:"streams"`
	Connections uint64 `json:"connections"`

	numbers map[uint64]struct{} // of the connections; nil: only their count is known
}

// add adds streams; both may count the same connections.
func (h *HTTP2) add(o *HTTP2) {
	h.Streams += o.Streams
	if o.numbers == nil {
		h.Connections += o.Connections
		return
	}
	for n := range o.numbers {
		h.addConnection(n)
	}
}

func (h *HTTP2) addConnection(number uint64) {
	if _, known := h.numbers[number]; known {
		return
	}
	if h.numbers == nil {
		h.numbers = map[uint64]struct{}{}
	}
	h.numbers[number] = struct{}{}
	h.Connections++
}

// Redirects counts followed redirects (307, 308). Their time is part of the latency of the operation.
type Redirects struct {
	Requests uint64        `json:"requests"` // that were redirected
	Followed uint64        `json:"followed"` // redirects; a request may be redirected more than once
	Spent    time.Duration `json:"spent_ns"` // from the first to the last exchange of redirected requests, in total
}

// KindSent counts the requests of operations of a kind.
type KindSent struct {
	Kind       op.Kind `json:"kind"`
	Requests   uint64  `json:"requests"`
	Redirected uint64  `json:"redirected,omitempty"` // some of them, once or more often
}

// kind returns the counts of a kind; it adds the kind if it is new.
func (c *Connections) kind(k op.Kind) *KindSent {
	for i := range c.Kinds {
		if c.Kinds[i].Kind == k {
			return &c.Kinds[i]
		}
	}
	c.Kinds = append(c.Kinds, KindSent{Kind: k})
	return &c.Kinds[len(c.Kinds)-1]
}

func (c *Connections) count(k op.Kind, r *s3.Response) {
	if r.Requests == 0 && r.Connected == 0 {
		return // nothing left
	}
	of := c.kind(k)
	of.Requests += uint64(r.Requests)
	c.Requests += uint64(r.Requests)
	if r.Connected > 0 {
		c.Made += uint64(r.Connected)
		c.Spent += r.Connect
		c.Longest = max(c.Longest, r.LongestConnect)
	}
	if r.Streams > 0 {
		c.HTTP2.Streams += uint64(r.Streams)
		c.HTTP2.addConnection(r.Stream)
	}
	if r.Redirects > 0 {
		of.Redirected++
		c.Redirects.Requests++
		c.Redirects.Followed += uint64(r.Redirects)
		c.Redirects.Spent += r.Redirected
	}
}

// Add adds the connections of a worker, or of another client.
func (c *Connections) Add(o Connections) {
	c.Requests += o.Requests
	c.Made += o.Made
	c.Spent += o.Spent
	c.Longest = max(c.Longest, o.Longest)
	for _, t := range o.TLS {
		if !slices.Contains(c.TLS, t) {
			c.TLS = append(c.TLS, t)
		}
	}
	for _, k := range o.Kinds {
		of := c.kind(k.Kind)
		of.Requests += k.Requests
		of.Redirected += k.Redirected
	}
	c.Methods.Add(o.Methods)
	c.Redirects.Requests += o.Redirects.Requests
	c.Redirects.Followed += o.Redirects.Followed
	c.Redirects.Spent += o.Redirects.Spent
	c.HTTP2.add(&o.HTTP2)
	c.Sessions.Add(o.Sessions)
}
