package connect_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// shortLived is a provider of keys that expire at once. The second time it fails.
type shortLived struct {
	mu sync.Mutex
	n  int
}

func (p *shortLived) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n++; p.n == 2 {
		return credentials.Value{}, errors.New("not now")
	}
	return credentials.Value{AccessKeyID: fmt.Sprint("AK", p.n), SecretAccessKey: "SK", SessionToken: fmt.Sprint("T", p.n), Expiration: time.Now()}, nil
}

func (p *shortLived) Retrieve() (credentials.Value, error) { return p.RetrieveWithCredContext(nil) }

func (p *shortLived) IsExpired() bool { return true }

// TestKeysAreRenewed: a session signs with new keys as soon as there are some, and with the old ones until then.
func TestKeysAreRenewed(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		var mu sync.Mutex
		var signed []string
		fresh := make(chan struct{})
		host := handle(t, func(w http.ResponseWriter, r *http.Request) {
			access, _, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential="), "/")
			mu.Lock()
			defer mu.Unlock()
			keys := access + " " + r.Header.Get("X-Amz-Security-Token")
			if n := len(signed); n > 0 && signed[n-1] == keys {
				return
			}
			if signed = append(signed, keys); keys == "AK3 T3" {
				close(fresh)
			}
		})
		st := open(t, s3.Config{Hosts: []string{host}, AccessKey: "AK0", SecretKey: "SK", Provider: credentials.New(&shortLived{})})
		s, ctx := st.Session(0), t.Context()
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		for {
			select {
			case <-fresh:
				mu.Lock()
				defer mu.Unlock()
				if got := strings.Join(signed, ", "); !strings.HasSuffix(got, "AK1 T1, AK3 T3") {
					t.Errorf("signed with %s", got)
				}
				return
			default:
			}
			if err := ops.Stat(ctx, s, &s3.Call{Key: "k"}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
