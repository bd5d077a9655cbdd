package op

import "strings"

// The kinds recorded by warp's workloads.
const (
	Get    Kind = "GET"
	Put    Kind = "PUT"
	Post   Kind = "POST" // an upload by a form
	Delete Kind = "DELETE"
	Stat   Kind = "STAT"
	List   Kind = "LIST"

	GetTags      Kind = "GETTAGS"
	PutTags      Kind = "PUTTAGS"
	DeleteTags   Kind = "DELETETAGS"
	Attributes   Kind = "ATTRIBUTES"
	Select       Kind = "SELECT" // an SQL query on an object
	ACL          Kind = "ACL"
	HeadBucket   Kind = "HEADBUCKET"
	CreateBucket Kind = "CREATEBUCKET"
	DeleteBucket Kind = "DELETEBUCKET"
	Copy         Kind = "COPY"
	Append       Kind = "APPEND"
	Compose      Kind = "COMPOSE" // of several objects, by the server
	Rename       Kind = "RENAME"
	Retention    Kind = "RETENTION" // is set
	GetRetention Kind = "GETRETENTION"
	LegalHold    Kind = "LEGALHOLD" // is set, or removed
	GetLegalHold Kind = "GETLEGALHOLD"
)

// Facts are what holds for a kind of operation, whichever workload performs it.
type Facts struct {
	Body           Body
	Effect         Effect // if it succeeds
	Parts          []Kind // requests that it consists of, which are recorded too
	Price          Price
	NotInDirectory string // what it needs and directory buckets lack; empty: nothing
}

// Body says which way the contents of objects travel.
type Body uint8

// Directions of contents.
const (
	NoBody Body = iota
	Sent
	Received
)

// Effect is what an operation does to the object of its key.
type Effect uint8

// Effects on objects.
const (
	Unchanged Effect = iota
	Uploaded         // made or replaced by the contents sent
	Assembled        // made or replaced by contents that the server has
	Appended
	Renamed // from another key, which Op.Source has
	Removed
)

// Price is the class of requests that clouds bill an operation as.
type Price uint8

// Classes of requests.
const (
	PriceGet Price = iota
	PricePut
	PriceDelete
)

const (
	lackTags    = "tags of objects"
	lackLock    = "object lock"
	lackBuckets = "other buckets next to them"
)

// kinds is the table of all kinds, in their order wherever several are shown: the common ones, then the others in the order of help.
var kinds = []struct {
	kind  Kind
	facts Facts
}{
	{Get, Facts{Body: Received}},
	{Put, Facts{Body: Sent, Effect: Uploaded, Price: PricePut}},
	{Delete, Facts{Effect: Removed, Price: PriceDelete}},
	{Stat, Facts{}},
	{List, Facts{Price: PricePut}},

	{GetPart, Facts{Body: Received}},
	{MultipartGet, Facts{Body: Received, Parts: []Kind{GetPart}}},
	{Post, Facts{Body: Sent, Effect: Uploaded, Price: PricePut, NotInDirectory: "uploads by forms"}},
	{CreateUpload, Facts{Price: PricePut}},
	{PutPart, Facts{Body: Sent, Price: PricePut}},
	{CompleteUpload, Facts{Effect: Assembled, Price: PricePut}},
	{AbortUpload, Facts{Price: PriceDelete}},
	{MultipartPut, Facts{Body: Sent, Effect: Uploaded, Parts: []Kind{CreateUpload, PutPart, CompleteUpload, AbortUpload}}},

	{Retention, Facts{Price: PricePut, NotInDirectory: lackLock}},
	{GetRetention, Facts{NotInDirectory: lackLock}},
	{LegalHold, Facts{Price: PricePut, NotInDirectory: lackLock}},
	{GetLegalHold, Facts{NotInDirectory: lackLock}},
	{GetTags, Facts{NotInDirectory: lackTags}},
	{PutTags, Facts{Price: PricePut, NotInDirectory: lackTags}},
	{DeleteTags, Facts{Price: PriceDelete, NotInDirectory: lackTags}},
	{Attributes, Facts{}},
	{Select, Facts{Body: Received, NotInDirectory: "S3 Select"}},
	{ACL, Facts{NotInDirectory: "ACLs"}},
	{HeadBucket, Facts{}},
	{CreateBucket, Facts{NotInDirectory: lackBuckets}},
	{DeleteBucket, Facts{NotInDirectory: lackBuckets}},
	{Copy, Facts{Effect: Assembled, Price: PricePut}},
	{CopyPart, Facts{Price: PricePut}},
	{MultipartCopy, Facts{Parts: []Kind{CreateUpload, CopyPart, CompleteUpload, AbortUpload}}},
	{Compose, Facts{Effect: Assembled, Price: PricePut, NotInDirectory: "composition of objects"}},
	{Append, Facts{Body: Sent, Effect: Appended, Price: PricePut}},
	{Rename, Facts{Effect: Renamed, Price: PricePut}},
}

// places are the rows of the table.
var places = func() map[Kind]int {
	m := map[Kind]int{}
	for i := range kinds {
		m[kinds[i].kind] = i
	}
	return m
}()

// Facts returns what holds for the kind, whatever its label, and whether warp knows it.
func (k Kind) Facts() (f Facts, known bool) {
	i, known := places[k.Base()]
	if known {
		f = kinds[i].facts
	}
	return f, known
}

// Effect returns what an operation does to the object of its key if it succeeds. Outcomes and attempts have no effect of their own.
func (k Kind) Effect() Effect {
	if i, known := places[k.Unlabelled()]; known {
		return kinds[i].facts.Effect
	}
	return Unchanged
}

// MovesBytes reports whether the throughput of this kind is measured in bytes per second, or else in objects per
// second. For unknown kinds it depends on the operations; see aggregate.
func (k Kind) MovesBytes() bool {
	i, known := places[k]
	if !known {
		k = Kind(strings.TrimSuffix(string(k.Unlabelled()), attemptsMark))
		i, known = places[k]
	}
	if known {
		return kinds[i].facts.Body != NoBody
	}
	return k.Base() == k
}

// The methods below are called for each operation, where a look at the table would take ten times as long as comparisons
// do. TestFacts holds them to the table.

// Copies reports whether the server copies another object, or a part of it.
func (k Kind) Copies() bool { return k == Copy || k == CopyPart }

// CreatesObject reports whether operations of this kind make an object, or replace it.
func (k Kind) CreatesObject() bool {
	return k == Put || k == Copy || k == CompleteUpload || k == Post || k == Compose
}

// Upload reports whether the body travels to the server, so that the time to first byte counts from the last body byte
// sent.
func (k Kind) Upload() bool {
	switch k {
	case Put, Post, Append, PutPart:
		return true
	}
	base := k.Base()
	return len(base) < len(k) && base.Upload()
}

// Download reports whether contents travel to the client by an operation of this kind itself, so that their first byte counts.
func (k Kind) Download() bool { return k == Get || k == GetPart || k == Select }

// IsComposite reports whether operations of this kind consist of others that are recorded too. They have a latency and a
// throughput of their own, and totals leave them out.
func (k Kind) IsComposite() bool {
	if len(k) < len(attemptsMark) { // as most kinds are
		return false
	}
	k = k.Unlabelled()
	return k == MultipartPut || k == MultipartGet || k == MultipartCopy || strings.HasSuffix(string(k), attemptsMark)
}
