package op

// Facts are what holds for a kind of operation, whichever workload performs it.
type Facts struct {
	Price          Price
	NotInDirectory string // what it needs and directory buckets lack; empty: nothing
}

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
	lackBuckets = "plain buckets beside them"
)

// kinds is the table of all kinds, in their order wherever several are shown: the common ones, then the others in the order of help. A kind
// that consists of others has no facts.
var kinds = []struct {
	Kind
	Facts
}{
	{Get, Facts{}},
	{Put, Facts{Price: PricePut}},
	{Delete, Facts{Price: PriceDelete}},
	{Stat, Facts{}},
	{List, Facts{Price: PricePut}},

	{GetPart, Facts{}},
	{MultipartGet, Facts{}},
	{Post, Facts{Price: PricePut, NotInDirectory: "uploads by forms"}},
	{CreateUpload, Facts{Price: PricePut}},
	{PutPart, Facts{Price: PricePut}},
	{CompleteUpload, Facts{Price: PricePut}},
	{AbortUpload, Facts{Price: PriceDelete}},
	{MultipartPut, Facts{}},

	{Retention, Facts{Price: PricePut, NotInDirectory: lackLock}},
	{GetRetention, Facts{NotInDirectory: lackLock}},
	{LegalHold, Facts{Price: PricePut, NotInDirectory: lackLock}},
	{GetLegalHold, Facts{NotInDirectory: lackLock}},
	{GetTags, Facts{NotInDirectory: lackTags}},
	{PutTags, Facts{Price: PricePut, NotInDirectory: lackTags}},
	{DeleteTags, Facts{Price: PriceDelete, NotInDirectory: lackTags}},
	{Attributes, Facts{}},
	{ACL, Facts{NotInDirectory: "ACLs"}},
	{HeadBucket, Facts{}},
	{CreateBucket, Facts{NotInDirectory: lackBuckets}},
	{DeleteBucket, Facts{NotInDirectory: lackBuckets}},
	{Copy, Facts{Price: PricePut}},
	{CopyPart, Facts{Price: PricePut}},
	{MultipartCopy, Facts{}},
	{Append, Facts{Price: PricePut}},
}

// places are the rows of the table.
var places = func() map[Kind]int {
	m := map[Kind]int{}
	for i := range kinds {
		m[kinds[i].Kind] = i
	}
	return m
}()

// Facts returns what holds for the kind, whatever its label, and whether warp knows it. A kind that consists of others has none of its own.
func (k Kind) Facts() (f Facts, known bool) {
	i, known := places[k.Base()]
	if !known || kinds[i].Whole() {
		return f, false
	}
	return kinds[i].Facts, true
}
