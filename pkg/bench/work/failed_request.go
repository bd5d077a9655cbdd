package work

import (
	"warp/pkg/op"
	"warp/pkg/s3/preflight"
)

// FailedRequest is the error of a request of the preparation.
type FailedRequest struct {
	Kind op.Kind
	error
}

func (f *FailedRequest) Unwrap() error { return f.error }

// failedRequest returns the error of a request. In the preparation, which the error ends, it names the request and the host.
func (w *Worker) failedRequest(kind op.Kind, err error) error {
	if err == nil || w.origin.target == nil || kind.IsComposite() {
		return err
	}
	return &FailedRequest{kind, preflight.Explain(w.origin.target, &w.Call, err)}
}
