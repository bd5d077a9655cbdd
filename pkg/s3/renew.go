package s3

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/target"
)

const (
	// renewAt is the part of the life of keys after which new ones are asked for.
	renewAt = 0.8
	// renewWait is the shortest time between two attempts.
	renewWait = time.Second
	// renewTimeout is the longest time for one of them.
	renewTimeout = 30 * time.Second
)

// setKeys sets the keys that sign requests.
func (s *store) setKeys() {
	cfg := &s.cfg
	if cfg.Anonymous() {
		return
	}
	for _, k := range append([]target.Key{{Access: cfg.AccessKey, Secret: cfg.SecretKey, Token: cfg.SessionToken}}, cfg.OtherKeys...) {
		keys := &atomic.Pointer[exchange.Keys]{}
		keys.Store(&exchange.Keys{Access: string(k.Access), Secret: string(k.Secret), Token: string(k.Token), Express: IsDirectory(cfg.Bucket)})
		s.keys = append(s.keys, keys)
	}
}

// renewKeys replaces keys that expire by new ones, in good time and off the clock of any operation, until the store is closed.
func (s *store) renewKeys() {
	provider := s.cfg.Provider
	if provider == nil || len(s.keys) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		var expires time.Time
		for first := true; first || clock.Pause(ctx, untilRenewal(expires)); first = false {
			asking, cancel := context.WithTimeout(ctx, renewTimeout)
			v, err := provider.GetWithContext(&credentials.CredContext{Client: &http.Client{CheckRedirect: target.SameOrigin}, Context: asking})
			cancel()
			if err != nil { // the old keys serve as long as the server takes them
				if s.cfg.Debug != nil && ctx.Err() == nil {
					s.cfg.Debug("credentials: not renewed: %s", oneLine(err.Error()))
				}
				continue
			}
			expires = v.Expiration
			s.keys[0].Store(&exchange.Keys{Access: v.AccessKeyID, Secret: v.SecretAccessKey, Token: v.SessionToken, Express: IsDirectory(s.cfg.Bucket)})
		}
	})
	s.end = append(s.end, func() {
		cancel()
		wg.Wait()
	})
}

// untilRenewal is when to ask for keys again. A provider gives the old ones until they are due.
func untilRenewal(expires time.Time) time.Duration {
	left := expires.Sub(clock.Wall())
	return max(renewWait, time.Duration(renewAt*float64(left)))
}
