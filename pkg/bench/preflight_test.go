package bench_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// runOn makes a run on another store than the one of the other tests.
func runOn(t *testing.T, cfg s3.Config, j job) error {
	t.Helper()
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	j.change = func(p *bench.Plan) { p.Target = cfg }
	_, _, err = j.run(context.Background(), t, store)
	return err
}

// TestErrorsAroundARunNameTheHost: whatever fails before a run or after it, its error says where, and at what.
func TestErrorsAroundARunNameTheHost(t *testing.T) {
	tests := []struct {
		workload string
		args     []string
		fails    func(kind op.Kind, n uint64) bool
		want     string
	}{
		{"put", nil, func(k op.Kind, _ uint64) bool { return k == op.List }, "look for objects of an earlier run: HOST: the host closes the connection"},
		{"put", nil, func(k op.Kind, _ uint64) bool { return k == responder.Bucket }, "HOST: the host closes the connection"},
		{"put", nil, func(k op.Kind, n uint64) bool { return k == op.Delete && n > 0 }, "HOST: the host closes the connection"},
		{"get", []string{"-list-existing"}, func(k op.Kind, n uint64) bool { return k == op.List && n > 0 }, `list existing objects below "": HOST: the host closes the connection`},
	}
	bench.ShortenCleanup(t, 0)
	for _, engine := range []string{"std", "lean"} {
		for _, tc := range tests {
			r, err := responder.New(responder.Options{Buckets: []string{"bucket"}, Keep: true, Rule: func(k op.Kind, n uint64) responder.Fault {
				return responder.Fault{Close: tc.fails(k, n)}
			}})
			if err != nil {
				t.Fatal(err)
			}
			cfg := s3.Config{Hosts: []string{r.Host()}, Bucket: "bucket", AccessKey: "A", SecretKey: "S", Engine: engine, Concurrency: 4}
			err = runOn(t, cfg, job{workload: tc.workload, args: tc.args})
			if want := strings.ReplaceAll(tc.want, "HOST", r.URL()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", engine, err, want)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSilenceIsExplained: a run that waits before it begins says for which host, and what for.
func TestSilenceIsExplained(t *testing.T) {
	t.Parallel()
	received := make(chan string, 100)
	heard := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-heard
		w.WriteHeader(403)
		_, _ = io.WriteString(w, "<Error><Code>InvalidAccessKeyId</Code></Error>")
	}))
	t.Cleanup(s.Close)
	go func() {
		received <- <-received // the first one
		close(heard)
	}()
	cfg := s3.Config{Hosts: []string{strings.TrimPrefix(s.URL, "http://")}, Bucket: "bucket", AccessKey: "A", SecretKey: "S"}
	_ = runOn(t, cfg, job{workload: "put", observe: notices{received: received}})
	if text, want := <-received, "Waiting for "+s.URL+" for 4s: trying to look at the bucket."; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

// notices is an Observer that passes notices on.
type notices struct {
	watch
	received chan<- string
}

func (n notices) Notice(text string) { n.received <- text }

// TestOnlyObjectsAreNeeded: a server on which all that is not about an object fails, in whatever way, serves put and get.
func TestOnlyObjectsAreNeeded(t *testing.T) {
	t.Parallel()
	answers := map[string]func(http.ResponseWriter){
		"400": func(w http.ResponseWriter) { w.WriteHeader(400) },
		"403": func(w http.ResponseWriter) {
			w.WriteHeader(403)
			_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code></Error>")
		},
		"405": func(w http.ResponseWriter) {
			w.WriteHeader(405)
			_, _ = io.WriteString(w, "<html>no</html>")
		},
		"501": func(w http.ResponseWriter) { w.WriteHeader(501) },
	}
	for name, answer := range answers {
		for _, engine := range []string{"std", "lean"} {
			r, err := responder.New(responder.Options{Buckets: []string{"bucket"}, Keep: true})
			if err != nil {
				t.Fatal(err)
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				_, key, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
				if key == "" && !req.URL.Query().Has("delete") {
					answer(w)
					return
				}
				r.ServeHTTP(w, req)
			}))
			cfg := s3.Config{
				Hosts: []string{strings.TrimPrefix(s.URL, "http://")}, Bucket: "bucket", AccessKey: "A", SecretKey: "S", Engine: engine, Concurrency: 4,
			}
			for _, workload := range []string{"put", "get"} {
				if err := runOn(t, cfg, job{workload: workload}); err != nil {
					t.Errorf("%s, %s, %s: %v", name, engine, workload, err)
				}
			}
			cfg.Hosts = []string{r.Host()}
			store, err := connect.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if keys := listing(t, store); len(keys) > 0 {
				t.Errorf("%s, %s: %d objects stay", name, engine, len(keys))
			}
			store.Close()
			s.Close()
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
