package cli

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/responder"
)

// TestMinHosts: a run begins without a host that is down if that is allowed, and its report says so.
func TestMinHosts(t *testing.T) {
	store, err := responder.New(responder.Options{Keep: true, Buckets: []string{"bucket"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]int{"--min-hosts=1": exitOK, "--min-hosts=2": exitFailed, "--min-hosts=-1": exitUsage} {
		env, text := testEnv("put", "--host="+store.Host()+","+down, "--access-key=a", "--secret-key=b", "--bucket=bucket", "--ops=20", "--obj.size=1KiB", flag, "--benchdata="+filepath.Join(t.TempDir(), "run"))
		env.Stderr = text
		if code := Main(env); code != want {
			t.Errorf("%s: exit code %d\n%s", flag, code, text)
		}
		if told := strings.Contains(text.String(), "Warning: a host is left out: http://"+down+": nothing listens there"); told != (want == exitOK) {
			t.Errorf("%s: it says\n%s", flag, text)
		}
	}
}
