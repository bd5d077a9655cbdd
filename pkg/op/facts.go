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

var facts = map[Kind]Facts{
	Get:    {},
	Put:    {Price: PricePut},
	Post:   {Price: PricePut, NotInDirectory: "uploads by forms"},
	Delete: {Price: PriceDelete},
	Stat:   {},
	List:   {Price: PricePut},
	Copy:   {Price: PricePut},
	Append: {Price: PricePut},

	CreateUpload:   {Price: PricePut},
	PutPart:        {Price: PricePut},
	CopyPart:       {Price: PricePut},
	CompleteUpload: {Price: PricePut},
	AbortUpload:    {Price: PriceDelete},
	GetPart:        {},

	GetTags:      {NotInDirectory: lackTags},
	PutTags:      {Price: PricePut, NotInDirectory: lackTags},
	DeleteTags:   {Price: PriceDelete, NotInDirectory: lackTags},
	Attributes:   {},
	ACL:          {NotInDirectory: "ACLs"},
	Retention:    {Price: PricePut, NotInDirectory: lackLock},
	GetRetention: {NotInDirectory: lackLock},
	LegalHold:    {Price: PricePut, NotInDirectory: lackLock},
	GetLegalHold: {NotInDirectory: lackLock},

	HeadBucket:   {},
	CreateBucket: {NotInDirectory: lackBuckets},
	DeleteBucket: {NotInDirectory: lackBuckets},
}

// Facts returns what holds for the kind, whatever its label, and whether warp knows it. A kind that consists of others has none of its own.
func (k Kind) Facts() (f Facts, known bool) {
	f, known = facts[k.Base()]
	return f, known
}
