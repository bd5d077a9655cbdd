package doctor_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"warp/internal/child"
	"warp/internal/embedded"
	"warp/internal/responder"
	"warp/pkg/doctor"
	"warp/pkg/doctor/finding"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

func TestMain(m *testing.M) {
	if code, ran := child.Run(os.Args[1:], os.Stdin, os.Stdout, embedded.Child); ran {
		os.Exit(code)
	}
	if os.Getenv(victim) != "" {
		examineAsVictim()
		return
	}
	goleak.VerifyTestMain(m)
}

// serve starts a responder, which has the bucket "bucket".
func serve(t *testing.T, o responder.Options) *responder.Server {
	t.Helper()
	o.Keep, o.Buckets = true, append(o.Buckets, "bucket")
	r, err := responder.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// before starts a server whose requests go to handle first, and to r where that returns false.
func before(t *testing.T, r http.Handler, handle func(w http.ResponseWriter, req *http.Request) bool) (host string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !handle(w, req) {
			r.ServeHTTP(w, req)
		}
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// refuse writes an error.
func refuse(w http.ResponseWriter, status int, code string) bool {
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<Error><Code>" + code + "</Code><Message>no</Message></Error>"))
	return true
}

func config(hosts ...string) s3.Config {
	return s3.Config{Hosts: hosts, Bucket: "bucket", AccessKey: "AKEY", SecretKey: "SKEY"}
}

func examine(ctx context.Context, t *testing.T, cfg s3.Config) *finding.Report {
	t.Helper()
	r, err := doctor.Examine(ctx, cfg, doctor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// results are the results of checks by their names.
func results(r *finding.Report) map[string]finding.Result {
	all := map[string]finding.Result{}
	for _, c := range r.Checks {
		all[c.Name] = c.Result
	}
	return all
}

// wantOne makes sure that there is exactly one text, and that it holds all parts.
func wantOne(t *testing.T, what string, texts []string, parts ...string) {
	t.Helper()
	if len(texts) != 1 {
		t.Errorf("%s: %q, want one", what, texts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(texts[0], part) {
			t.Errorf("%s: %q does not say %q", what, texts[0], part)
		}
	}
}

// wantEmpty makes sure that the bucket "bucket" of a responder exists, and is empty.
func wantEmpty(t *testing.T, r *responder.Server) {
	t.Helper()
	st, err := connect.New(config(r.Host()))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, all := range []bool{false, true} {
		l := ops.Listing{All: all}
		if err := ops.List(context.WithoutCancel(t.Context()), st.Session(0), &s3.Call{}, &l); err != nil || len(l.Entries) > 0 {
			t.Errorf("left behind: %v, %v", l.Entries, err)
		}
	}
}

// about reports whether a request is one of a kind.
func about(r *http.Request, method, query string) bool {
	return r.Method == method && (query == "" && r.URL.RawQuery == "" || query != "" && r.URL.Query().Has(query))
}

// lasting leaves out warnings that follow from a machine that is slow at the moment.
func lasting(warnings []string) []string {
	return slices.DeleteFunc(warnings, func(w string) bool { return strings.Contains(w, "delayed acknowledgement") })
}
