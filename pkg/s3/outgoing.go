package s3

import (
	"errors"
	"io"
	"sync"
)

var errRequestOver = errors.New("the request is over")

// outgoing is the body of one request. It stamps when its last byte was taken by the transport, and when the transport
// came back after writing it (which looks once more whether there is really no more).
//
// The transport may go on reading after it has returned the response, or an error. Nobody waits for that: release takes
// the body away from it, since the caller uses it for the next request.
type outgoing struct {
	x *exchange

	mu   sync.Mutex
	body io.ReaderAt // nil: released
	at   int64
	left int64
}

// Read reads the next part of the body.
func (o *outgoing) Read(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.body == nil {
		return 0, errRequestOver
	}
	if o.left == 0 {
		o.x.stamp(&o.x.written)
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), o.left)]
	n, err := o.body.ReadAt(p, o.at)
	o.at += int64(n)
	if o.left -= int64(n); n > 0 && o.left == 0 {
		o.x.stamp(&o.x.taken)
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

// release takes the body away. No read of it is under way then, and none will be.
func (o *outgoing) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.body = nil
}
