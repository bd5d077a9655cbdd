package s3

import "warp/pkg/op"

// Billing is how a kind of store bills requests.
type Billing struct {
	Classes []string               // of its price list, in order
	Class   func(k op.Kind) string // of a request of a kind; empty: nothing is sent
}

// Free is the class of requests that cost nothing.
const Free = "free"
