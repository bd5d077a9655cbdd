package s3

import "time"

// Methods counts requests as stores bill them: by HTTP method, with listings of buckets apart.
type Methods struct {
	Get    uint64 `json:"get,omitempty"` // those that are no listing
	Head   uint64 `json:"head,omitempty"`
	Put    uint64 `json:"put,omitempty"` // copies too
	Post   uint64 `json:"post,omitempty"`
	Patch  uint64 `json:"patch,omitempty"`
	Delete uint64 `json:"delete,omitempty"`
	List   uint64 `json:"list,omitempty"`
}

// Add adds the requests of another client.
func (m *Methods) Add(o Methods) {
	m.Get += o.Get
	m.Head += o.Head
	m.Put += o.Put
	m.Post += o.Post
	m.Patch += o.Patch
	m.Delete += o.Delete
	m.List += o.List
}

// DirectorySessions counts the sessions that were created with a directory bucket. They are no operations.
type DirectorySessions struct {
	Created uint64        `json:"created"`
	Failed  uint64        `json:"failed,omitempty"`
	Spent   time.Duration `json:"spent_ns"`   // on all of them together
	Longest time.Duration `json:"longest_ns"` // on one of them
}

// Add adds the sessions of another client.
func (d *DirectorySessions) Add(o DirectorySessions) {
	d.Created += o.Created
	d.Failed += o.Failed
	d.Spent += o.Spent
	d.Longest = max(d.Longest, o.Longest)
}
