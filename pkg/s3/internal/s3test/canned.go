package s3test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// Answer is a response of a Canned store. Its type has no name, so that tables can leave out the names of its fields.
type Answer = struct {
	Status  int
	Headers string // Name: value, separated by |
	Body    string
}

// Canned is a store that gives the answers that it has, in turn, also such as no store should, and notes what it is asked. A test has it by
// Session.
type Canned struct {
	Answers  []Answer
	Requests []string // METHOD path?query, then the headers that are noted
	Bodies   []string

	Check func(r *http.Request, body []byte)   // of what proves a request
	Noted func(h http.Header) (names []string) // the headers of a request that are noted, in order

	t testing.TB
}

// ServeHTTP gives the next answer.
func (c *Canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.Check(r, body)
	line := r.Method + " " + r.RequestURI
	for _, name := range c.Noted(r.Header) {
		line += " " + name + "=" + r.Header.Get(name)
	}
	c.Requests, c.Bodies = append(c.Requests, line), append(c.Bodies, string(body))
	if len(c.Answers) == 0 {
		c.t.Errorf("one request more: %s", line)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	a := c.Answers[0]
	c.Answers = c.Answers[1:]
	for h := range strings.SplitSeq(a.Headers, "|") {
		if name, value, ok := strings.Cut(h, ": "); ok {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body)
}

// Session runs a test with a session with the store. All answers must have been given then.
func (c *Canned) Session(t *testing.T, cfg s3.Config, test func(t *testing.T, c *Canned, s s3.Session)) {
	t.Helper()
	c.t = t
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	cfg.Hosts = []string{strings.TrimPrefix(server.URL, "http://")}
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	test(t, c, store.Session(0))
	if len(c.Answers) > 0 {
		t.Errorf("%d requests missing", len(c.Answers))
	}
}
