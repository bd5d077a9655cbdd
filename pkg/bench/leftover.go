package bench

// CleanupError reports the leftovers that a clean-up could not remove.
type CleanupError struct{ err error }

func (e *CleanupError) Error() string { return e.err.Error() }

func (e *CleanupError) Unwrap() error { return e.err }

// Leftover is something that a run left in its bucket.
type Leftover struct {
	Kind    string // object, upload, claim or bucket
	Key     string
	Version string // of an object, or the ID of an upload; may be empty
}

// Kinds of leftovers.
const (
	leftObject = "object"
	leftUpload = "upload"
	leftClaim  = "claim"
	leftBucket = "bucket"
)
