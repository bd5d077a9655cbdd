package xmlapi_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

const (
	access = "GOOG1E"
	secret = "secretsecretsecretsecretsecretsecretsecr"
	token  = "ya29.token"
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

// checkProof makes the signature of a request again, by the description of GOOG4.
func (f *fake) checkProof(r *http.Request) {
	got := r.Header.Get("Authorization")
	switch {
	case f.proof == "" && got != "" || f.proof == "bearer" && got != "Bearer "+token:
		f.t.Errorf("%s %s: Authorization %q", r.Method, r.RequestURI, got)
	case f.proof == "HMAC":
		if want := goog4(f.t, r); got != want {
			f.t.Errorf("%s %s: Authorization\n%s, want\n%s", r.Method, r.RequestURI, got, want)
		}
	}
	if r.Header.Get("Accept-Encoding") != "" { // Google changes it on the way, so that the signature would be wrong
		f.t.Errorf("%s %s: Accept-Encoding", r.Method, r.RequestURI)
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Amz-") {
			f.t.Errorf("%s %s: %s", r.Method, r.RequestURI, name)
		}
	}
}

// goog4 returns the Authorization of a request. All headers are signed but those that proxies change.
func goog4(t *testing.T, r *http.Request) string {
	path, query, _ := strings.Cut(r.RequestURI, "?")
	params := strings.Split(query, "&")
	for i, p := range params {
		if p != "" && !strings.Contains(p, "=") {
			params[i] += "="
		}
	}
	slices.Sort(params)
	_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
	names, _, _ := strings.Cut(rest, ",")
	headers := ""
	for name := range strings.SplitSeq(names, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		headers += name + ":" + strings.TrimSpace(value) + "\n"
	}
	for name := range r.Header {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "x-goog-") && !slices.Contains(strings.Split(names, ";"), lower) {
			t.Errorf("%s is not signed", name)
		}
	}
	date := r.Header.Get("X-Goog-Date")
	if len(date) != len("20260102T150405Z") {
		t.Errorf("X-Goog-Date: %q", date)
		return ""
	}
	canonical := strings.Join([]string{
		r.Method, path, strings.Join(params, "&"), headers, names, r.Header.Get("X-Goog-Content-Sha256"),
	}, "\n")
	hash := sha256.Sum256([]byte(canonical))
	scope := date[:8] + "/auto/storage/goog4_request"
	text := "GOOG4-HMAC-SHA256\n" + date + "\n" + scope + "\n" + hex.EncodeToString(hash[:])
	key := []byte("GOOG4" + secret)
	for _, part := range []string{date[:8], "auto", "storage", "goog4_request", text} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return "GOOG4-HMAC-SHA256 Credential=" + access + "/" + scope + ", SignedHeaders=" + names + ", Signature=" + hex.EncodeToString(key)
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
					cfg.AccessKey, cfg.SecretKey = access, secret
				case "bearer":
					cfg.SessionToken, cfg.Bearer = token, true
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
