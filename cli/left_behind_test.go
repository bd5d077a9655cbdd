package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/pkg/op"
)

// TestLeftBehindIsNamed: what a run leaves because deletions are refused, or a run that is refused itself, is named with the command that removes it.
func TestLeftBehindIsNamed(t *testing.T) {
	for _, args := range [][]string{{"put", "--ops=5"}, {"append", "--ops=5"}} {
		var refuse atomic.Bool
		store, err := responder.New(responder.Options{Keep: true, Buckets: []string{"bucket"}, Rule: func(k op.Kind, n uint64) responder.Fault {
			if k == op.Append && n == 1 {
				return responder.Fault{Status: http.StatusNotImplemented}
			}
			if k == op.Delete && n > 0 && refuse.Load() {
				return responder.Fault{Status: http.StatusForbidden}
			}
			return responder.Fault{}
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		target := []string{"--host=" + store.Host(), "--access-key=a", "--secret-key=b"}
		refuse.Store(true)
		env, text := testEnv(append(args, append(target, "--bucket=bucket", "--obj.size=1KiB", "--concurrent=2", "--benchdata="+filepath.Join(t.TempDir(), "run"))...)...)
		env.Stderr = text
		if code := Main(env); code != process.ExitFailed {
			t.Errorf("%s: exit code %d", args[0], code)
		}
		if !regexp.MustCompile(`clean-up: \d+ objects? could not be removed`).MatchString(text.String()) {
			t.Errorf("%s: it does not say what is left:\n%s", args[0], text)
		}
		command := regexp.MustCompile(`(?m)^warp: to remove what is left: warp clean "?([^"\n]+)"?$`).FindStringSubmatch(text.String())
		if command == nil {
			t.Fatalf("%s: no command that removes it:\n%s", args[0], text)
		}
		refuse.Store(false)
		env, text = testEnv(append([]string{"clean", command[1]}, target...)...)
		if code := Main(env); code != process.ExitOK {
			t.Errorf("%s: exit code %d\n%s", args[0], code, text)
		}
		if left := store.Keys("bucket"); len(left) > 0 {
			t.Errorf("%s: left: %q", args[0], left)
		}
	}
}

// TestLeftBehindByClients: what clients of a run leave is removed by the command that the coordinator names.
func TestLeftBehindByClients(t *testing.T) {
	store := startStore(t)
	var allow atomic.Bool // deletions of objects
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := r.Method == http.MethodDelete && !strings.Contains(r.URL.Path, "claim") // what the preflight makes has such names
		if !allow.Load() && (one || r.URL.Query().Has("delete")) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		store.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	clients := clientHere(t) + "," + clientHere(t)
	target := []string{"--host=" + strings.TrimPrefix(front.URL, "http://"), "--access-key=a", "--secret-key=b"}
	env, text := testEnv(append([]string{"put", "--warp-client=" + clients, "--bucket=bucket", "--obj.size=1KiB", "--concurrent=2", "--ops=20", "--benchdata=all"}, target...)...)
	env.Stderr = text
	if code := Main(env); code != process.ExitIncomplete {
		t.Errorf("exit code %d", code)
	}
	command := regexp.MustCompile(`(?m)^warp: to remove what is left: warp clean (all\.csv\.zst)$`).FindStringSubmatch(text.String())
	if command == nil {
		t.Fatalf("no command that removes it:\n%s", text)
	}
	allow.Store(true)
	env, text = testEnv(append([]string{"clean", command[1]}, target...)...)
	if code := Main(env); code != process.ExitOK {
		t.Errorf("exit code %d\n%s", code, text)
	}
	if left := store.Keys("bucket"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
