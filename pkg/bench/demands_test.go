package bench_test

import (
	"net/http"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/s3"
	"warp/pkg/s3/probe"
)

// forget makes a server look at no parameter of the query of this name.
func forget(name string) func(http.Handler, http.ResponseWriter, *http.Request) {
	return func(h http.Handler, w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		q.Del(name)
		r.URL.RawQuery = q.Encode()
		h.ServeHTTP(w, r)
	}
}

// ownBucket has a run make its bucket, with what it needs.
func ownBucket(c *s3.Config) { c.Bucket = "own" }

// What a server does otherwise in listings is told before they are measured, once.
func TestListingsAreTried(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		forget string
		row    *probe.Capability
	}{
		{[]string{"-start-after"}, "start-after", probe.StartAfter},
		{[]string{"-list-version=1", "-delimiter=/"}, "delimiter", probe.Delimiter},
		{[]string{"-versions=2"}, "key-marker", probe.ListVersions},
	} {
		for _, known := range []bool{true, false} {
			a := asked{workload: "list", args: tc.args, options: ownBucket, handle: func(h http.Handler, w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) }}
			if !known {
				a.handle = forget(tc.forget)
			}
			_, _, res, err := a.run(t)
			if err != nil {
				t.Errorf("%s, known %v: %v", tc.row.Name, known, err)
				continue
			}
			told := strings.Count(strings.Join(res.Warnings, "\n"), "listings are likely to fail ("+tc.row.Name+")")
			if want := map[bool]int{false: 1}[known]; told != want {
				t.Errorf("%s, known %v: %d warnings, want %d: %q", tc.row.Name, known, told, want, res.Warnings)
			}
		}
	}
}

// Tags are read before they are set, and after their removal: servers that have no words for an object without tags are refused.
func TestTagsAreReadWhereThereAreNone(t *testing.T) {
	bench.ShortenCleanup(t, 0)
	for _, args := range [][]string{{"-put-distrib=0", "-delete-distrib=0"}, {"-get-distrib=0", "-put-distrib=0", "-delete-distrib=1"}} {
		a := asked{workload: "tag", args: args, handle: func(h http.Handler, w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.URL.Query().Has("tagging") {
				w.WriteHeader(http.StatusOK)
				return
			}
			h.ServeHTTP(w, r)
		}}
		s, m, _, err := a.run(t)
		if err == nil || !strings.HasPrefix(err.Error(), "tag cannot be measured on this server: ") || len(m.ops) > 0 || len(s.left()) > 0 {
			t.Errorf("%q: %v; %d operations; left: %q", args, err, len(m.ops), s.left())
		}
	}
}

// A lock that does not hold is told; what was locked is removed.
func TestLocksAreTried(t *testing.T) {
	for _, workload := range []string{"retention", "legal-hold"} {
		var unlocked bool
		a := asked{workload: workload, args: []string{"-versions=1"}, options: ownBucket, handle: func(h http.Handler, w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete && r.URL.Query().Has("versionId") && r.Header.Get("X-Amz-Bypass-Governance-Retention") == "" && strings.HasSuffix(r.URL.Path, "."+workload) {
				unlocked = true
				w.WriteHeader(http.StatusNoContent)
				return
			}
			h.ServeHTTP(w, r)
		}}
		s, _, res, err := a.run(t)
		if err != nil || !unlocked || !strings.Contains(strings.Join(res.Warnings, "\n"), "the server deletes a version that is locked") || len(s.server.Buckets()) > 1 {
			t.Errorf("%s: %v; tried %v; buckets %q; result %+v", workload, err, unlocked, s.server.Buckets(), res)
		}
	}
}
