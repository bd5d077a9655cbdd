//go:build !noembed

package embedded

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3response"
)

// versionLocks is a backend whose requests for one object do not meet where a bucket keeps versions. The POSIX backend moves the
// files of versions in several steps, between which others find no version, or another one.
type versionLocks struct {
	backend.Backend
	versioned sync.Map // bucket -> struct{}
	seed      maphash.Seed
	locks     [256]sync.RWMutex // by the hash of bucket and key
}

func newVersionLocks(b backend.Backend) *versionLocks {
	return &versionLocks{Backend: b, seed: maphash.MakeSeed()}
}

// index is that of the lock of an object; false if its bucket keeps no versions.
func (l *versionLocks) index(bucket, key *string) (int, bool) {
	if bucket == nil || key == nil {
		return 0, false
	}
	if _, ok := l.versioned.Load(*bucket); !ok {
		return 0, false
	}
	return int(maphash.String(l.seed, *bucket+"/"+*key) % uint64(len(l.locks))), true
}

func (l *versionLocks) write(bucket, key *string) (unlock func()) {
	if i, ok := l.index(bucket, key); ok {
		l.locks[i].Lock()
		return l.locks[i].Unlock
	}
	return func() {}
}

func (l *versionLocks) read(bucket, key *string) (unlock func()) {
	if i, ok := l.index(bucket, key); ok {
		l.locks[i].RLock()
		return l.locks[i].RUnlock
	}
	return func() {}
}

// PutBucketVersioning notes whether the bucket keeps versions. One that kept some once has them still.
func (l *versionLocks) PutBucketVersioning(ctx context.Context, bucket string, status types.BucketVersioningStatus) error {
	l.versioned.Store(bucket, struct{}{})
	return l.Backend.PutBucketVersioning(ctx, bucket, status)
}

// CreateBucket notes that a bucket with object lock keeps versions.
func (l *versionLocks) CreateBucket(ctx context.Context, in *s3.CreateBucketInput, acl []byte) error {
	if in.Bucket != nil && in.ObjectLockEnabledForBucket != nil && *in.ObjectLockEnabledForBucket {
		l.versioned.Store(*in.Bucket, struct{}{})
	}
	return l.Backend.CreateBucket(ctx, in, acl)
}

// PutObject adds a version.
func (l *versionLocks) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	defer l.write(in.Bucket, in.Key)()
	return l.Backend.PutObject(ctx, in)
}

// CopyObject adds a version.
func (l *versionLocks) CopyObject(ctx context.Context, in s3response.CopyObjectInput) (s3response.CopyObjectOutput, error) {
	defer l.write(in.Bucket, in.Key)()
	return l.Backend.CopyObject(ctx, in)
}

// CompleteMultipartUpload adds a version.
func (l *versionLocks) CompleteMultipartUpload(
	ctx context.Context,
	in *s3.CompleteMultipartUploadInput,
) (s3response.CompleteMultipartUploadResult, string, error) {
	defer l.write(in.Bucket, in.Key)()
	return l.Backend.CompleteMultipartUpload(ctx, in)
}

// DeleteObject removes a version, or adds a delete marker.
func (l *versionLocks) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput) (*s3.DeleteObjectOutput, error) {
	defer l.write(in.Bucket, in.Key)()
	return l.Backend.DeleteObject(ctx, in)
}

// DeleteObjects does so for several objects.
func (l *versionLocks) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput) (s3response.DeleteResult, error) {
	var locks []int
	if in.Delete != nil {
		for _, o := range in.Delete.Objects {
			if i, ok := l.index(in.Bucket, o.Key); ok {
				locks = append(locks, i)
			}
		}
	}
	slices.Sort(locks) // in one order, so that two requests do not wait for each other
	for _, i := range slices.Compact(locks) {
		l.locks[i].Lock()
		defer l.locks[i].Unlock()
	}
	return l.Backend.DeleteObjects(ctx, in)
}

// GetObject opens a version.
func (l *versionLocks) GetObject(ctx context.Context, in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
	defer l.read(in.Bucket, in.Key)()
	return l.Backend.GetObject(ctx, in)
}

// HeadObject describes a version.
func (l *versionLocks) HeadObject(ctx context.Context, in *s3.HeadObjectInput) (*s3.HeadObjectOutput, error) {
	defer l.read(in.Bucket, in.Key)()
	return l.Backend.HeadObject(ctx, in)
}

// PutObjectRetention locks a version for a time.
func (l *versionLocks) PutObjectRetention(ctx context.Context, bucket, object, version string, retention []byte) error {
	defer l.write(&bucket, &object)()
	return l.Backend.PutObjectRetention(ctx, bucket, object, version, retention)
}

// PutObjectLegalHold locks a version, or ends that.
func (l *versionLocks) PutObjectLegalHold(ctx context.Context, bucket, object, version string, status bool) error {
	defer l.write(&bucket, &object)()
	return l.Backend.PutObjectLegalHold(ctx, bucket, object, version, status)
}

// PutObjectTagging replaces the tags of a version.
func (l *versionLocks) PutObjectTagging(ctx context.Context, bucket, object, version string, tags map[string]string) error {
	defer l.write(&bucket, &object)()
	return l.Backend.PutObjectTagging(ctx, bucket, object, version, tags)
}

// DeleteObjectTagging removes the tags of a version.
func (l *versionLocks) DeleteObjectTagging(ctx context.Context, bucket, object, version string) error {
	defer l.write(&bucket, &object)()
	return l.Backend.DeleteObjectTagging(ctx, bucket, object, version)
}

// GetObjectRetention returns how long a version is locked.
func (l *versionLocks) GetObjectRetention(ctx context.Context, bucket, object, version string) ([]byte, error) {
	defer l.read(&bucket, &object)()
	return l.Backend.GetObjectRetention(ctx, bucket, object, version)
}

// GetObjectLegalHold returns whether a version is locked.
func (l *versionLocks) GetObjectLegalHold(ctx context.Context, bucket, object, version string) (*bool, error) {
	defer l.read(&bucket, &object)()
	return l.Backend.GetObjectLegalHold(ctx, bucket, object, version)
}

// GetObjectTagging returns the tags of a version.
func (l *versionLocks) GetObjectTagging(ctx context.Context, bucket, object, version string) (map[string]string, error) {
	defer l.read(&bucket, &object)()
	return l.Backend.GetObjectTagging(ctx, bucket, object, version)
}

// GetObjectAttributes describes a version.
func (l *versionLocks) GetObjectAttributes(
	ctx context.Context,
	in *s3.GetObjectAttributesInput,
) (s3response.GetObjectAttributesResponse, error) {
	defer l.read(in.Bucket, in.Key)()
	return l.Backend.GetObjectAttributes(ctx, in)
}
