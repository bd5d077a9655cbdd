package cli

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/responder"
	"warp/internal/testkit"
)

// requestLog is a server that keeps a line about each request for an object, in the form of testdata/*/requests.txt.
type requestLog struct {
	http.Handler
	mu    sync.Mutex
	lines map[string]bool
}

func (l *requestLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if ownRequest(r) || bytes.Contains(body, []byte("claim.")) {
		l.Handler.ServeHTTP(w, r)
		return
	}
	l.mu.Lock()
	l.lines[requestLine(r, body)] = true
	l.mu.Unlock()
	l.Handler.ServeHTTP(w, r)
}

// ownRequest reports whether MinIO warp has no such request: about the bucket itself, or about claims.
func ownRequest(r *http.Request) bool {
	_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	return strings.Contains(key, "claim.") || key == "" && !q.Has("delete") && q.Get("max-keys") != "20" && r.Method != http.MethodPost
}

// sentHeaders are the headers that a line has, with * in place of values that differ.
var sentHeaders = []struct{ name, value string }{
	{"content-encoding", ""},
	{"content-md5", "*"},
	{"x-amz-bypass-governance-retention", ""},
	{"x-amz-checksum-algorithm", ""},
	{"x-amz-checksum-mode", ""},
	{"x-amz-checksum-type", ""},
	{"x-amz-content-sha256", ""},
	{"x-amz-decoded-content-length", ""},
	{"x-amz-meta-snowball-auto-extract", ""},
	{"x-amz-trailer", ""},
	{"x-amz-write-offset-bytes", "*"},
	{"x-minio-extract", ""},
}

func requestLine(r *http.Request, body []byte) string {
	q := r.URL.Query()
	var query, headers []string
	for name := range q {
		switch name {
		case "uploads", "delete", "retention":
			query = append(query, name)
		case "list-type", "fetch-owner", "max-keys", "encoding-type":
			query = append(query, name+"="+q.Get(name))
		default:
			query = append(query, name+"=*")
		}
	}
	document := r.Method != http.MethodPut || q.Has("retention")
	if n := bytes.Count(body, []byte("<Object>")); n > 0 && q.Has("delete") {
		headers = append(headers, fmt.Sprintf("names: %d, %s", n, map[bool]string{true: "quiet", false: "all listed"}[bytes.Contains(body, []byte("<Quiet>"))]))
	}
	var from, to int
	if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); n == 2 {
		headers = append(headers, fmt.Sprintf("range: %d bytes", to-from+1))
	}
	for _, h := range sentHeaders {
		value := r.Header.Get(h.name)
		if value == "" || document && (h.name == "content-md5" || h.name == "x-amz-content-sha256") {
			continue
		}
		if h.value != "" {
			value = h.value
		}
		headers = append(headers, h.name+": "+value)
	}
	slices.Sort(query)
	line := fmt.Sprintf("%s | %s | %s | %d", r.Method, strings.Join(query, " "), strings.Join(headers, "; "), len(body))
	return strings.Join(strings.Fields(line), " ")
}

// matches reports whether a line is one of a file, where some values are left open.
func matches(want, line string) bool {
	pattern := regexp.QuoteMeta(want)
	pattern = strings.ReplaceAll(pattern, `content-length: \*`, `content-length: \d+`)
	if rest, ok := strings.CutSuffix(pattern, "any"); ok {
		pattern = rest + `\d+`
	}
	return regexp.MustCompile("^" + pattern + "$").MatchString(line)
}

// TestRequestsOfMinIOWarp: with --compat=minio the requests about objects are what MinIO warp sends, each of them and no others.
func TestRequestsOfMinIOWarp(t *testing.T) {
	eachRequestBlock(t, "testdata/minio_warp/requests.txt", func(t *testing.T, command string) []string {
		ops := "--ops=100"
		if strings.Contains(command, "MiB") {
			ops = "--ops=4"
		}
		return sentBy(t, append(strings.Fields(command), "--compat=minio", "--concurrent=2", "--stress", ops)...)
	})
}

// TestRequestsOfOtherTools: a command line of another tool sends the tool's requests, each of them and no others.
func TestRequestsOfOtherTools(t *testing.T) {
	eachRequestBlock(t, "testdata/other_tools/requests.txt", func(t *testing.T, command string) (shapes []string) {
		dir := t.TempDir()
		script := filepath.Join(dir, "x.sh")
		if err := os.WriteFile(script, []byte(command+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, line := range sentBy(t, "run", script, "--benchdata="+filepath.Join(dir, "x")) {
			shapes = append(shapes, strings.Join(strings.Fields(otherHeaders.ReplaceAllString(line, "")), " "))
		}
		return shapes
	})
}

// otherHeaders are the headers that descriptions of other tools do not mention.
var otherHeaders = regexp.MustCompile(`(content|x-amz)-[a-z0-9-]+: [^;|]*;?`)

// eachRequestBlock compares the requests of each command in a file with those that the file lists.
func eachRequestBlock(t *testing.T, file string, send func(t *testing.T, command string) []string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("\n> "))
	for i, block := range strings.Split(string(text), "\n> ") {
		if !testkit.InTurn(t, i) {
			continue
		}
		command, lines, _ := strings.Cut(strings.TrimSpace(block), "\n")
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			sent, want := send(t, command), strings.Split(lines, "\n")
			for _, line := range want {
				if !slices.ContainsFunc(sent, func(s string) bool { return matches(line, s) }) {
					t.Errorf("not sent: %s", line)
				}
			}
			for _, line := range sent {
				if !slices.ContainsFunc(want, func(w string) bool { return matches(w, line) }) {
					t.Errorf("sent: %s", line)
				}
			}
		})
	}
}

// sentBy returns the different requests about objects that a command sends.
func sentBy(t *testing.T, args ...string) []string {
	t.Helper()
	server, err := responder.New(responder.Options{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	log := &requestLog{Handler: server, lines: map[string]bool{}}
	front := httptest.NewServer(log)
	defer front.Close()
	env, _ := testEnv(append(args,
		"--host="+front.URL, "--access-key=a", "--secret-key=b", "--preflight=off", "--noclear", "--quiet")...)
	errs := &bytes.Buffer{}
	env.Stderr = errs
	if code := Main(env); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	return slices.Sorted(maps.Keys(log.lines))
}
