package bench

import (
	"slices"
	"time"

	"warp/pkg/s3"
)

// Connections counts the requests sent while measuring, and the connections made for them, without those of the preparation. The time
// to make one (name lookup, TCP, TLS) is part of the latency of the operation that needed it.
type Connections struct {
	Requests  uint64        `json:"requests,omitempty"` // those that were sent again too
	Made      uint64        `json:"made"`
	Spent     time.Duration `json:"spent_ns"`      // on all of them together
	Longest   time.Duration `json:"longest_ns"`    // on one of them
	TLS       []string      `json:"tls,omitempty"` // what they agreed on, those of the preparation too
	Redirects Redirects     `json:"redirects,omitzero"`
	Methods   s3.Methods    `json:"methods,omitzero"` // of all requests of the run up to its clean-up
}

// Redirects counts redirects that were followed (307, 308). Their time is part of the latency of the operation.
type Redirects struct {
	Requests uint64        `json:"requests"` // that were redirected
	Followed uint64        `json:"followed"` // redirects; a request may be redirected more than once
	Spent    time.Duration `json:"spent_ns"` // from the first to the last exchange of these requests, all together
}

// count adds a request.
func (c *Connections) count(r *s3.Response) {
	if r.Start.IsZero() {
		return // it was not sent
	}
	c.Requests += 1 + uint64(r.Retries)
	if r.Connected > 0 {
		c.Made += uint64(r.Connected)
		c.Spent += r.Connect
		c.Longest = max(c.Longest, r.LongestConnect)
	}
	if r.Redirects > 0 {
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
	c.Methods.Add(o.Methods)
	c.Redirects.Requests += o.Redirects.Requests
	c.Redirects.Followed += o.Redirects.Followed
	c.Redirects.Spent += o.Redirects.Spent
}
