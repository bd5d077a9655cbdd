package responder

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
)

const directorySuffix = "--x-s3"

// sessions are the sessions with directory buckets.
type sessions struct {
	created atomic.Uint64

	mu     sync.Mutex
	tokens map[string]grant
}

// grant is what a token is good for.
type grant struct {
	bucket string
	key    Key
	ends   time.Time
}

// create creates a session with a bucket, and returns its token.
func (s *sessions) create(bucket string, life time.Duration) (token string, g grant) {
	n := strconv.FormatUint(s.created.Add(1), 10)
	key := Key{Access: "SESSION" + n, Secret: fmt.Sprintf("secret %x", rand.Uint64())}
	token, g = fmt.Sprintf("token %x", rand.Uint64()), grant{bucket, key, clock.Wall().Add(life).UTC()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil {
		s.tokens = map[string]grant{}
	}
	s.tokens[token] = g
	return token, g
}

// valid reports whether a request has the token and the key of a session with the bucket that has not ended.
func (s *sessions) valid(token, bucket, access string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, known := s.tokens[token]
	return known && g.bucket == bucket && g.key.Access == access && clock.Wall().Before(g.ends)
}

// key returns the key of a session by its token.
func (s *sessions) key(token string) (k Key, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, known := s.tokens[token]
	return g.key, known
}
