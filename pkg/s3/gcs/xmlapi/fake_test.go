package xmlapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder/google"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// answer is a response of the fake store.
type answer struct {
	status  int
	headers string // Name: value, separated by |
	body    string
}

// fake is a store that answers as it is told, notes what it is asked, and checks who asks.
type fake struct {
	t        *testing.T
	proof    string // "HMAC", "bearer", or empty for none
	answers  []answer
	requests []string // METHOD path?query, then the headers that say something
	bodies   []string
}

// usual are headers that say nothing of a request; what proves it is checked.
var usual = []string{
	"Authorization", "Content-Length", "Content-Md5", "Content-Type", "Host", "User-Agent", "X-Goog-Content-Sha256", "X-Goog-Date",
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.checkProof(r)
	line := r.Method + " " + r.RequestURI
	var names []string
	for name := range r.Header {
		if !slices.Contains(usual, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		line += " " + name + "=" + r.Header.Get(name)
	}
	f.requests, f.bodies = append(f.requests, line), append(f.bodies, string(body))
	if len(f.answers) == 0 {
		f.t.Errorf("one request more: %s", line)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	a := f.answers[0]
	f.answers = f.answers[1:]
	for h := range strings.SplitSeq(a.headers, "|") {
		if name, value, ok := strings.Cut(h, ": "); ok {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// checkProof checks who asks.
func (f *fake) checkProof(r *http.Request) {
	got := r.Header.Get("Authorization")
	switch {
	case f.proof == "" && got != "", f.proof == "bearer" && got != "Bearer "+google.Token:
		f.t.Errorf("%s %s: Authorization %q", r.Method, r.RequestURI, got)
	case f.proof == "":
	case google.Check(r) != "":
		f.t.Errorf("%s %s: %s: Authorization\n%s, want\n%s", r.Method, r.RequestURI, google.Check(r), got, google.Authorization(r))
	}
	if r.Header.Get("Accept-Encoding") != "" { // Google changes it on the way
		f.t.Errorf("%s %s: Accept-Encoding", r.Method, r.RequestURI)
	}
}

// eachEngine runs a test with a session of each engine, and each proof.
func eachEngine(t *testing.T, change func(*s3.Config), test func(t *testing.T, f *fake, s s3.Session)) {
	for _, engine := range []string{s3.EngineLean, s3.EngineStd} {
		for _, proof := range []string{"HMAC", "bearer", ""} {
			t.Run(engine+" "+proof, func(t *testing.T) {
				f := &fake{t: t, proof: proof}
				server := httptest.NewServer(f)
				t.Cleanup(server.Close)
				cfg := s3.Config{
					Store: s3.StoreGCS, API: s3.APIXML, Hosts: []string{strings.TrimPrefix(server.URL, "http://")}, Bucket: "box", Engine: engine,
				}
				switch proof {
				case "HMAC":
					cfg.AccessKey, cfg.SecretKey = google.Access, google.Secret
				case "bearer":
					cfg.SessionToken, cfg.Bearer = google.Token, true
				}
				if change != nil {
					change(&cfg)
				}
				store, err := connect.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(store.Close)
				test(t, f, store.Session(0))
				if len(f.answers) > 0 {
					t.Errorf("%d requests missing", len(f.answers))
				}
			})
		}
	}
}
