package responder

import "warp/pkg/op"

// Bucket is the kind of requests about the bucket itself and its settings, or about the store. A multi-delete is an op.Delete.
const Bucket op.Kind = "BUCKET"

// Dialect is a kind of store that a server plays: it understands requests and responds to them. The server has the faults,
// their account, and the ways through an Exchange.
type Dialect interface {
	// Begin says what a request is about: its kind, bucket and key.
	Begin(x *Exchange)
	// Serve responds. It reads the body first, then calls Exchange.Ready.
	Serve(x *Exchange)
	// Fail responds with an error; an empty code is the one that suits the status.
	Fail(x *Exchange, status int, code string)

	// Create creates a bucket, unless it exists.
	Create(bucket string)
	// Buckets are the names of all buckets, in order.
	Buckets() []string
	// Visit calls a function for each version of each object of a bucket, in the order of keys. Keys of delete markers are in brackets.
	Visit(bucket string, visit func(key string, size int64))
	// Uploads are the unfinished uploads of a bucket as "key id".
	Uploads(bucket string) []string
}
