package s3

import "context"

// MaxBuckets is how many buckets objects are spread over, at most.
const MaxBuckets = 1000

// InBucket gives a way to use a session for requests about one of the buckets.
func InBucket(s Session, number int) Session {
	if number == 0 {
		return s
	}
	return inBucket{s, number}
}

type inBucket struct {
	Session
	number int
}

// Do performs a request.
func (s inBucket) Do(ctx context.Context, c *Call) error {
	c.Bucket = s.number
	return s.Session.Do(ctx, c)
}
