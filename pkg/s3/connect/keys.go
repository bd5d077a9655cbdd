package connect

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/target"
)

// renewWait is the shortest time between two attempts to renew keys.
const renewWait = time.Second

// keyring is the keys that sign requests; nil: they are not signed. The first may be renewed.
type keyring []*atomic.Pointer[exchange.Keys]

// newKeyring returns the keys of a configuration.
func newKeyring(cfg *s3.Config) (all keyring) {
	if cfg.Unsigned() {
		return nil
	}
	for _, k := range append([]target.Key{{Access: cfg.AccessKey, Secret: cfg.SecretKey, Token: cfg.SessionToken}}, cfg.OtherKeys...) {
		keys := &atomic.Pointer[exchange.Keys]{}
		keys.Store(keysOf(cfg, string(k.Access), string(k.Secret), string(k.Token)))
		all = append(all, keys)
	}
	return all
}

// keysOf returns keys as engines have them.
func keysOf(cfg *s3.Config, access, secret, token string) *exchange.Keys {
	k := &exchange.Keys{Access: access, Secret: secret, Token: token, Express: s3.IsDirectory(cfg.Bucket)}
	switch {
	case cfg.Bearer:
		k.Scheme = exchange.Bearer
	case cfg.Store == s3.StoreAzure:
		k.Scheme = exchange.SharedKey
	case cfg.Store == s3.StoreGCS:
		k.Scheme = exchange.GOOG4
	}
	return k
}

// renew replaces keys that expire by new ones, in good time and off the clock of any operation, until stop is called.
func (all keyring) renew(cfg *s3.Config) (stop func()) {
	if cfg.Provider == nil || len(all) == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		var expires time.Time
		for first := true; first || clock.Pause(ctx, untilRenewal(expires)); first = false {
			asking, cancel := context.WithTimeout(ctx, exchange.RenewTimeout)
			v, err := cfg.Provider.GetWithContext(&credentials.CredContext{Client: &http.Client{CheckRedirect: target.SameOrigin}, Context: asking})
			cancel()
			if err != nil { // the old keys serve as long as the server takes them
				if cfg.Debug != nil && ctx.Err() == nil {
					cfg.Debug("credentials: not renewed: %s", s3.OneLine(err.Error()))
				}
				continue
			}
			expires = v.Expiration
			all[0].Store(keysOf(cfg, v.AccessKeyID, v.SecretAccessKey, v.SessionToken))
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

// untilRenewal is when to ask for keys again. A provider gives the old ones until they are due.
func untilRenewal(expires time.Time) time.Duration {
	return exchange.RenewalPause(expires.Sub(clock.Wall()), renewWait)
}
