package s3

import (
	"net/http"
	"strings"

	"warp/pkg/s3/exchange"
)

// Kinds of stores, as --store names them.
const (
	StoreS3    = "s3"
	StoreGCS   = "gcs" // Google Cloud Storage by its own interfaces
	StoreAzure = "azure"
)

// Stores are the values of --store.
var Stores = []string{"auto", StoreS3, StoreGCS, StoreAzure}

// Interfaces of StoreGCS, as --gcs-api names them. They differ in nearly all requests.
const (
	APIJSON = "json" // with bearer tokens
	APIXML  = "xml"  // with HMAC keys
)

// APIs are the values of --gcs-api.
var APIs = []string{APIJSON, APIXML}

// Dialect is how a kind of store spells what all stores have in common. Its operations are in the interface of package ops.
type Dialect interface {
	// Name is the kind of store.
	Name() string
	// Title is the kind of store, for people.
	Title() string
	// Describe says what a run of this dialect measures; the zero value stands for S3.
	Describe() Description
	// Lacks says that the store does not have it, or that warp cannot do it there; empty if it can.
	Lacks(v Verb) string
	Limits() Limits
	Billing() *Billing
	Wire
}

// Wire is how requests and responses are spelled, whatever the operation.
type Wire interface {
	Names() *Names
	// Address completes the request of a call: its path, where that is not bucket and key.
	Address(q *exchange.Request, c *Call)
	// Headers appends the headers of what all calls can state: conditions, the source of a copy.
	Headers(all []Header, c *Call) []Header
	// Succeeds reports whether a status from 200 to 299 is a success of a call.
	Succeeds(c *Call) bool
	// Error makes the error of a response that is no success. It reads the body but does not close it.
	Error(r *http.Response) *Error
	// Common are headers of all requests. Upload returns how the store names a header of uploads that S3 names so; empty: it has no such
	// header, and its uploads say that otherwise.
	Common() []Header
	Upload(name string) string
	// Lists reports whether a GET of a bucket is a listing.
	Lists(c *Call) bool
}

// Fact is something that a store says of itself, for people.
type Fact struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Warning string `json:"-"` // why it makes figures worse, or costs money; empty: it does not
	Refusal string `json:"-"` // why nothing can be measured there; empty: it can
}

// Names are headers, in lower case, and parameters that stores name differently.
type Names struct {
	Version       string // header of the version of the object
	ETag          string // header of what conditions take
	VersionParam  string // parameter of a version
	SourceVersion string // header of the version that was copied
	Success       string // status of most successes, for errors
	Generations   bool   // all objects have versions, also in buckets that keep no earlier ones
	SumPrefix     string // of the value of a checksum, where a header of its own has any
}

// Limits are the largest requests.
type Limits struct {
	Entries   int   // of a page of a listing
	Deletions int   // of objects by a request
	Parts     int   // of an object
	Part      int64 // smallest part but the last, in bytes
	MaxPart   int64 // largest part
	Put       int64 // largest object that is uploaded by one request
	Object    int64 // largest object
}

// Verb is something that not all stores have.
type Verb uint8

// Verbs. The zero value is what all stores have.
const (
	Ordinary Verb = iota
	Appending
	ByForm
	InParts // uploads
	Presigned
	Archives    // to be extracted
	ManyAtOnce  // one content as several objects
	ReadIfOther // reads on condition that the object is another one than was seen
	PartNumbers // parts of objects are read by number
	CopiedParts
	Composing // objects of others
	InZip     // files in archives are read
	Attributes
	ACLs
	ListFirst // listings of version 1
	StartAfter
	ListedMetadata
	Versions
	ObjectTags
	Retentions
	LegalHolds
	Renaming
	SQL
)

// LackMessage is the text of Dialect.Lacks for a store: it is what the store has none of, or a sentence that begins with "warp".
func LackMessage(title, text string) string {
	if text == "" || strings.HasPrefix(text, "warp ") {
		return text
	}
	return title + " has no " + text
}

// Judgement is what an error means to callers, which know no codes.
type Judgement uint16

// Judgements. An error may have several.
const (
	Judged      Judgement = 1 << iota // the dialect has looked at it; else its code is one of S3
	NotThere                          // object, version or upload do not exist
	NoContainer                       // the bucket does not exist
	Exists                            // what was to be made is there
	Later                             // it may succeed later
	Full                              // the store has no room
	Deleting                          // the name of a bucket is free once the old one is gone, which takes its time
	Denied                            // credentials lack a right
	Unknown                           // the store does not know the request
)

// judgements of the codes of S3.
var judgements = map[string]Judgement{
	"NoSuchKey":            NotThere,
	"NoSuchVersion":        NotThere,
	"NoSuchUpload":         NotThere,
	CodeNoBucket:           NoContainer,
	"InternalError":        Later,
	"SlowDown":             Later,
	"ServiceUnavailable":   Later,
	"RequestTimeout":       Later,
	"OperationAborted":     Later,
	"NotImplemented":       Unknown,
	"AccessDenied":         Denied,
	"AllAccessDisabled":    Denied,
	"XMinioStorageFull":    Full,
	"QuotaExceeded":        Full,
	"InsufficientCapacity": Full,
	"EntityQuotaExceeded":  Full,

	"XMinioAdminBucketQuotaExceeded": Full,
}

// Says reports whether the store says one of these of a request.
func (e *Error) Says(one Judgement) bool {
	if e.Judgement == 0 {
		return judgements[e.Code]&one != 0
	}
	return e.Judgement&one != 0
}
