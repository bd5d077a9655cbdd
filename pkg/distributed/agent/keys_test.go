package agent

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
)

// TestSeveralKeys: the keys of a file are spread over the threads of all clients together. The run ends when all were used.
func TestSeveralKeys(t *testing.T) {
	want := []string{"K0", "K1", "K2", "K3", "K4", "K5"}
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	var mu sync.Mutex
	requests := map[string]int{} // of threads, by key
	store := harness.Server(t, responder.Options{})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Count(r.URL.Path, "/") > 1 && r.Method == http.MethodHead {
			_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
			key, _, _ := strings.Cut(rest, "/")
			mu.Lock()
			if requests[key]++; len(requests) == len(want) {
				enough()
			}
			mu.Unlock()
		}
		store.ServeHTTP(w, r)
	}))
	defer front.Close()
	_, addrs := startClients(t, 2)
	plan := harness.Plan(t, "stat", strings.TrimPrefix(front.URL, "http://"), time.Minute, "-objects=6")
	plan.Phases[0].Concurrency = len(want) / 2
	keys := target.Credentials{AccessKey: "K0", SecretKey: "s"}
	for _, name := range want[1:] {
		keys.Others = append(keys.Others, target.Key{Access: s3.Secret(name), Secret: "s"})
	}
	if _, err := coordinator.Run(ctx, plan, keys, testOptions(addrs...)); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := slices.Sorted(maps.Keys(requests)); !slices.Equal(got, want) {
		t.Errorf("keys %q were used, want %q", got, want)
	}
}
