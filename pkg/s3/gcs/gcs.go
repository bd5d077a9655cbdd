// Package gcs is what both interfaces to Google Cloud Storage have in common: errors and their judgement, limits, and what the store lacks.
package gcs

import (
	"cmp"
	"net/http"
	"strings"

	"warp/pkg/s3"
)

// MaxPage is how many entries a page of a listing has at most.
const MaxPage = 1000

const maxObject = 5 << 40

// Interface is what the dialects of both interfaces have in common.
type Interface struct {
	Config    *s3.Config
	API       string             // s3.APIJSON, s3.APIXML
	Deletions int                // by one request, at most
	Missing   map[s3.Verb]string // what only this interface does not have, for s3.LackMessage
}

// Name is the kind of store.
func (i *Interface) Name() string { return s3.StoreGCS }

// Title is the kind of store, for people.
func (i *Interface) Title() string { return s3.TitleGCS }

// Describe returns the store, its interface, and what proves who asks.
func (i *Interface) Describe() s3.Description { return describe(i.Config, i.API) }

// Billing is how requests are billed.
func (i *Interface) Billing() *s3.Billing { return &billing }

// Lacks says what cannot be done.
func (i *Interface) Lacks(v s3.Verb) string {
	return s3.LackMessage(s3.TitleGCS, cmp.Or(i.Missing[v], lacks[v]))
}

// Lacking returns the error of a request that cannot be made.
func (i *Interface) Lacking(v s3.Verb) error {
	return &s3.Error{Class: s3.ClassBadRequest, Message: i.Lacks(v)}
}

// Limits are the largest requests.
func (i *Interface) Limits() s3.Limits {
	return s3.Limits{
		Entries: MaxPage, Deletions: i.Deletions, Parts: 10_000, Part: 5 << 20, MaxPart: 5 << 30, Put: maxObject, Object: maxObject,
	}
}

// Common are no headers.
func (i *Interface) Common() []s3.Header { return nil }

// Generation is the header of the generation of an object. It is its version, and what conditions take.
const Generation = "x-goog-generation"

// lacks is what there is not in any interface, for s3.LackMessage.
var lacks = map[s3.Verb]string{
	s3.Appending:      "objects that grow",
	s3.ByForm:         "warp cannot upload by forms to " + s3.TitleGCS,
	s3.Presigned:      "warp cannot sign URLs of " + s3.TitleGCS + " ahead yet",
	s3.Archives:       "archives that it extracts",
	s3.ManyAtOnce:     "uploads that make several objects",
	s3.PartNumbers:    "downloads by part number; use get --part.size",
	s3.CopiedParts:    "copies of parts; use copy without --part.size",
	s3.InZip:          "files in archives",
	s3.Attributes:     "attributes of objects",
	s3.ListedMetadata: "warp cannot list metadata at " + s3.TitleGCS + " yet",
	s3.Retentions:     "warp cannot lock objects of " + s3.TitleGCS + " yet",
	s3.LegalHolds:     "warp cannot hold objects of " + s3.TitleGCS + " yet",
	s3.Renaming:       "warp cannot rename objects of " + s3.TitleGCS + " yet",
	s3.SQL:            "SQL queries",
}

// judgements of codes: the reasons of errors of the JSON interface, and the codes of the other one.
var judgements = map[string]s3.Judgement{
	"notFound":              s3.NotThere,
	"NoSuchKey":             s3.NotThere,
	"NoSuchUpload":          s3.NotThere,
	"NoSuchBucket":          s3.NoContainer,
	"conflict":              s3.Exists,
	"BucketAlreadyExists":   s3.Exists,
	"forbidden":             s3.Denied,
	"AccessDenied":          s3.Denied,
	"rateLimitExceeded":     s3.Later,
	"userRateLimitExceeded": s3.Later,
	"backendError":          s3.Later,
	"internalError":         s3.Later,
	"SlowDown":              s3.Later,
	"InternalError":         s3.Later,
	"ServiceUnavailable":    s3.Later,
	"notImplemented":        s3.Unknown,
	"NotImplemented":        s3.Unknown,
}

// RequestID returns the id that the store gave a request.
func RequestID(h http.Header) string {
	return cmp.Or(h.Get("X-Guploader-Uploadid"), h.Get("X-Goog-Request-Id"))
}

// nameLimit stands for a message that names the object, so that errors could not be counted, and that does not say what it means.
const nameLimit = "one name was written more than once in a second, which is a limit for each name, not for the store"

// Error makes the error of a response from what an interface has read in it. Where it understood nothing, the server may be of another
// kind.
func Error(r *http.Response, code, message string, understood bool) *s3.Error {
	if strings.Contains(message, "object mutation") {
		message = nameLimit
	}
	id := RequestID(r.Header)
	e := s3.StatedError(r, code, message, id)
	e.Foreign = !understood && id == ""
	e.Judgement = s3.Judged | judgements[e.Code]
	switch {
	case e.Status == http.StatusNotFound && strings.Contains(strings.ToLower(message), "bucket does not exist"):
		e.Judgement = s3.Judged | s3.NoContainer
	case e.Status == http.StatusNotFound && e.Code == "":
		e.Judgement |= s3.NotThere
	case s3.Retryable(e):
		e.Judgement |= s3.Later
	}
	return e
}
