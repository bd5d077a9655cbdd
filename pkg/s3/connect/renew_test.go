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

// TestKeysAreRenewed: a session proves itself with new keys as soon as there are some, with the old ones until then, and always in the
// same way.
func TestKeysAreRenewed(t *testing.T) {
	keys := s3.Config{AccessKey: "AK0", SecretKey: "SK"}
	for name, row := range map[string]struct {
		cfg  s3.Config
		want string
	}{
		"keys":   {keys, "AWS4-HMAC-SHA256 Credential=AK1 T1, AWS4-HMAC-SHA256 Credential=AK3 T3"},
		"bearer": {s3.Config{Bearer: true, SessionToken: "T0", Store: s3.StoreAzure}, "Bearer T1, Bearer T3"},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, open opener) { testRenewal(t, open, row.cfg, row.want) })
		})
	}
}

func testRenewal(t *testing.T, open opener, cfg s3.Config, want string) {
	var mu sync.Mutex
	var proofs []string
	fresh := make(chan struct{})
	host := handle(t, func(w http.ResponseWriter, r *http.Request) {
		proof, _, _ := strings.Cut(r.Header.Get("Authorization"), "/")
		if token := r.Header.Get("X-Amz-Security-Token"); token != "" {
			proof += " " + token
		}
		mu.Lock()
		defer mu.Unlock()
		if n := len(proofs); n > 0 && proofs[n-1] == proof {
			return
		}
		if proofs = append(proofs, proof); strings.HasSuffix(proof, " T3") {
			close(fresh)
		}
	})
	cfg.Hosts, cfg.Provider = []string{host}, credentials.New(&shortLived{})
	s := open(t, cfg).Session(0)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		select {
		case <-fresh:
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(proofs, ", "); !strings.HasSuffix(got, want) {
				t.Errorf("proved by %s, want %s", got, want)
			}
			return
		default:
		}
		if err := ops.Stat(ctx, s, &s3.Call{Key: "k"}); err != nil {
			t.Fatal(err)
		}
	}
}

// heldUp is a provider whose answer takes until the test wants it.
type heldUp struct {
	once           sync.Once
	asked, release chan struct{}
}

func (p *heldUp) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	p.once.Do(func() { close(p.asked) })
	<-p.release
	return credentials.Value{SessionToken: "new", Expiration: time.Now().Add(time.Hour)}, nil
}

func (p *heldUp) Retrieve() (credentials.Value, error) { return p.RetrieveWithCredContext(nil) }

func (p *heldUp) IsExpired() bool { return true }

// TestRenewalHoldsUpNothing: while new credentials are on their way, operations are performed with the old ones.
func TestRenewalHoldsUpNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, open opener) {
		p := &heldUp{asked: make(chan struct{}), release: make(chan struct{})}
		proof := make(chan string, 1)
		host := handle(t, func(_ http.ResponseWriter, r *http.Request) { proof <- r.Header.Get("Authorization") })
		s := open(t, s3.Config{
			Hosts: []string{host}, Bearer: true, SessionToken: "old", Store: s3.StoreAzure, Provider: credentials.New(p),
		}).Session(0)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		stat := func() string {
			if err := ops.Stat(ctx, s, &s3.Call{Key: "k"}); err != nil {
				t.Fatal(err)
			}
			return <-proof
		}
		<-p.asked
		for range 100 {
			if got := stat(); got != "Bearer old" {
				t.Fatalf("proved by %s, before there is another one", got)
			}
		}
		close(p.release)
		for stat() != "Bearer new" { // a test that never ends is cut off by ctx
		}
	})
}
