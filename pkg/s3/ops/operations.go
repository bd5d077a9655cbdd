package ops

import (
	"context"

	"warp/pkg/s3"
)

// Operations are the operations of a kind of store, each as the function of its name says. What only S3 has is not among them: plans are
// checked for it (s3.Dialect.Lacks), and its functions spell the requests themselves.
type Operations interface {
	Put(ctx context.Context, s s3.Session, c *s3.Call) error
	Get(ctx context.Context, s s3.Session, c *s3.Call) error
	Stat(ctx context.Context, s s3.Session, c *s3.Call) error
	Delete(ctx context.Context, s s3.Session, c *s3.Call) error
	DeleteMany(ctx context.Context, s s3.Session, c *s3.Call, d *Deletion) error
	List(ctx context.Context, s s3.Session, c *s3.Call, l *Listing) error
	Copies
	Uploads
	Buckets
	Tags
}

// Copies make objects of others.
type Copies interface {
	Copy(ctx context.Context, s s3.Session, c *s3.Call, source string) error
	CopyOnto(ctx context.Context, s s3.Session, c *s3.Call, source string) error
	CopyPart(ctx context.Context, s s3.Session, c *s3.Call, d *Document, source, upload string, number int) (Part, error)
	Append(ctx context.Context, s s3.Session, c *s3.Call, offset int64) error
}

// Uploads make objects of parts.
type Uploads interface {
	CreateUpload(ctx context.Context, s s3.Session, c *s3.Call) (id string, err error)
	PutPart(ctx context.Context, s s3.Session, c *s3.Call, upload string, number int) (Part, error)
	CompleteUpload(ctx context.Context, s s3.Session, c *s3.Call, upload string, parts []Part) error
	AbortUpload(ctx context.Context, s s3.Session, c *s3.Call, upload string) error
}

// Buckets are requests about the bucket.
type Buckets interface {
	HeadBucket(ctx context.Context, s s3.Session, c *s3.Call) error
	CreateBucket(ctx context.Context, s s3.Session, c *s3.Call, region string, lock bool) error
	RemoveBucket(ctx context.Context, s s3.Session, c *s3.Call) error
	GetVersioning(ctx context.Context, s s3.Session, c *s3.Call) (state string, err error)
	EnableVersioning(ctx context.Context, s s3.Session, c *s3.Call) error
	ObjectLock(ctx context.Context, s s3.Session, c *s3.Call) (enabled bool, err error)
}

// Tags are requests about tags of objects.
type Tags interface {
	PutTag(ctx context.Context, s s3.Session, c *s3.Call, d *Document, key string, value uint64) error
	DeleteTags(ctx context.Context, s s3.Session, c *s3.Call) error
	GetTags(ctx context.Context, s s3.Session, c *s3.Call, d *Document) error
	ReadTags(ctx context.Context, s s3.Session, c *s3.Call) (tags map[string]string, err error)
}

// S3 are the operations as S3 has them.
type S3 struct{}

var _ Operations = S3{}

// of returns the operations of a session's store. All dialects have them.
func of(s s3.Session) Operations { return s.Dialect().(Operations) } //nolint:forcetypeassert // package connect makes sure

// Put uploads c.Body as one request, without hashing it.
func Put(ctx context.Context, s s3.Session, c *s3.Call) error { return of(s).Put(ctx, s, c) }

// Get downloads an object, or a range of it, as one request.
func Get(ctx context.Context, s s3.Session, c *s3.Call) error { return of(s).Get(ctx, s, c) }

// Stat reads the head of an object.
func Stat(ctx context.Context, s s3.Session, c *s3.Call) error { return of(s).Stat(ctx, s, c) }

// Delete deletes one object or version.
func Delete(ctx context.Context, s s3.Session, c *s3.Call) error { return of(s).Delete(ctx, s, c) }

// DeleteMany deletes objects by one request, as many as the store's limits allow. It is an error if the request failed or d.Failed is not
// empty.
func DeleteMany(ctx context.Context, s s3.Session, c *s3.Call, d *Deletion) error {
	d.begin()
	err := of(s).DeleteMany(ctx, s, c, d)
	if x, ok := s.(interface{ Explain(*s3.Call, error) error }); ok {
		for i := range d.Failed {
			d.Failed[i].Err = x.Explain(c, d.Failed[i].Err)
		}
	}
	return err
}

// List reads one page of a listing.
func List(ctx context.Context, s s3.Session, c *s3.Call, l *Listing) error {
	if err := of(s).List(ctx, s, c, l); err != nil {
		return err
	}
	return l.pages.check(l.Token, l.Next, c.Status)
}

// Copy has the server copy an object to c.Key; see CopySource.
func Copy(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	return of(s).Copy(ctx, s, c, source)
}

// CopyOnto has the server copy the object c.Key, which is the source, to itself.
func CopyOnto(ctx context.Context, s s3.Session, c *s3.Call, source string) error {
	return of(s).CopyOnto(ctx, s, c, source)
}

// CopyPart has the server copy c.Length bytes of an object from c.Offset on (0: all of it) as part number, from 1, of a multipart
// upload. The response is read into d.
func CopyPart(ctx context.Context, s s3.Session, c *s3.Call, d *Document, source, upload string, number int) (Part, error) {
	return of(s).CopyPart(ctx, s, c, d, source, upload, number)
}

// Append appends c.Body to an object that has offset bytes.
func Append(ctx context.Context, s s3.Session, c *s3.Call, offset int64) error {
	return of(s).Append(ctx, s, c, offset)
}

// CreateUpload begins a multipart upload of c.Key and returns its id.
func CreateUpload(ctx context.Context, s s3.Session, c *s3.Call) (id string, err error) {
	return of(s).CreateUpload(ctx, s, c)
}

// PutPart uploads c.Body as part number, from 1, of a multipart upload.
func PutPart(ctx context.Context, s s3.Session, c *s3.Call, upload string, number int) (Part, error) {
	return of(s).PutPart(ctx, s, c, upload, number)
}

// CompleteUpload makes an object of parts of an upload, whose numbers must ascend. With c.WantETag, c.ETag becomes that of the object.
func CompleteUpload(ctx context.Context, s s3.Session, c *s3.Call, upload string, parts []Part) error {
	return of(s).CompleteUpload(ctx, s, c, upload, parts)
}

// AbortUpload ends a multipart upload.
func AbortUpload(ctx context.Context, s s3.Session, c *s3.Call, upload string) error {
	return of(s).AbortUpload(ctx, s, c, upload)
}

// HeadBucket looks whether the bucket exists. A response that refuses it does not say why.
func HeadBucket(ctx context.Context, s s3.Session, c *s3.Call) error {
	return of(s).HeadBucket(ctx, s, c)
}

// CreateBucket creates the bucket in a region; with lock its versions can be locked.
func CreateBucket(ctx context.Context, s s3.Session, c *s3.Call, region string, lock bool) error {
	return of(s).CreateBucket(ctx, s, c, region, lock)
}

// RemoveBucket removes the bucket, which must be empty.
func RemoveBucket(ctx context.Context, s s3.Session, c *s3.Call) error {
	return of(s).RemoveBucket(ctx, s, c)
}

// GetVersioning returns the versioning state of the bucket: VersioningEnabled, VersioningSuspended, or empty if it never kept versions.
func GetVersioning(ctx context.Context, s s3.Session, c *s3.Call) (state string, err error) {
	return of(s).GetVersioning(ctx, s, c)
}

// EnableVersioning has the bucket keep versions.
func EnableVersioning(ctx context.Context, s s3.Session, c *s3.Call) error {
	return of(s).EnableVersioning(ctx, s, c)
}

// ObjectLock reports whether versions in the bucket can be locked.
func ObjectLock(ctx context.Context, s s3.Session, c *s3.Call) (enabled bool, err error) {
	return of(s).ObjectLock(ctx, s, c)
}

// PutTag replaces the tags of an object by one, whose value is a number.
func PutTag(ctx context.Context, s s3.Session, c *s3.Call, d *Document, key string, value uint64) error {
	return of(s).PutTag(ctx, s, c, d, key, value)
}

// DeleteTags removes the tags of an object.
func DeleteTags(ctx context.Context, s s3.Session, c *s3.Call) error {
	return of(s).DeleteTags(ctx, s, c)
}

// GetTags reads the tags of an object into d; see Tags.
func GetTags(ctx context.Context, s s3.Session, c *s3.Call, d *Document) error {
	return of(s).GetTags(ctx, s, c, d)
}

// ReadTags returns the tags of an object.
func ReadTags(ctx context.Context, s s3.Session, c *s3.Call) (tags map[string]string, err error) {
	return of(s).ReadTags(ctx, s, c)
}
