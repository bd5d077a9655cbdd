package op

// Kinds of the requests that transfer or copy an object in parts, and of the transfer as a whole. PUTPART is MinIO warp's name.
//
// The request that completes an object counts it: COMPLETEUPLOAD, or the last part of a download. The others touch 0 objects,
// so that sums of objects are true.
const (
	CreateUpload   Kind = "CREATEUPLOAD"
	PutPart        Kind = "PUTPART"
	CopyPart       Kind = "COPYPART"
	CompleteUpload Kind = "COMPLETEUPLOAD"
	AbortUpload    Kind = "ABORTUPLOAD"
	GetPart        Kind = "GETPART"

	MultipartPut Kind = "MULTIPARTPUT" // from CREATEUPLOAD to COMPLETEUPLOAD
	MultipartGet Kind = "MULTIPARTGET" // from the first GETPART to the last

	MultipartCopy Kind = "MULTIPARTCOPY" // from CREATEUPLOAD to COMPLETEUPLOAD, with COPYPART in between
)

// attemptsMark stands behind the kind of the attempts.
const attemptsMark = "_ATTEMPTS"

// Attempts returns the kind of all attempts of an operation together, as in PUT_ATTEMPTS: from the first to the last.
func (k Kind) Attempts() Kind { return k + attemptsMark }
