package cli

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/internal/responder"
)

// TestMinHosts: a run begins without a host that is down if that is allowed, and its report says so.
func TestMinHosts(t *testing.T) {
	store, err := responder.New(responder.Options{Keep: true, Buckets: []string{"bucket"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	down := nothingListens(t)
	for flag, want := range map[string]int{"--min-hosts=1": process.ExitOK, "--min-hosts=2": process.ExitFailed, "--min-hosts=-1": process.ExitUsage} {
		env, text := testEnv("put", "--host="+store.Host()+","+down, "--access-key=a", "--secret-key=b", "--bucket=bucket", "--ops=20", "--obj.size=1KiB", flag, "--benchdata="+filepath.Join(t.TempDir(), "run"))
		env.Stderr = text
		if code := Main(env); code != want {
			t.Errorf("%s: exit code %d\n%s", flag, code, text)
		}
		if told := strings.Contains(text.String(), "Warning: a host is left out: http://"+down+": nothing listens there"); told != (want == process.ExitOK) {
			t.Errorf("%s: it says\n%s", flag, text)
		}
	}
}

// nothingListens returns an address where nothing listens.
func nothingListens(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

// TestMinHostsWithClients: clients look for hosts that are down themselves; the report of all of them says which were left out.
func TestMinHostsWithClients(t *testing.T) {
	store, down := startStore(t), nothingListens(t)
	clients := clientHere(t) + "," + clientHere(t)
	for flag, want := range map[string]int{"--min-hosts=1": process.ExitOK, "--min-hosts=2": process.ExitFailed} {
		env, text := testEnv("put", "--warp-client="+clients, "--host="+store.Host()+","+down, "--access-key=a", "--secret-key=b", "--bucket=bucket", "--concurrent=2", "--ops=20", "--obj.size=1KiB", flag)
		env.Stderr = text
		if code := Main(env); code != want {
			t.Errorf("%s: exit code %d, want %d\n%s", flag, code, want, text)
		}
		said := map[bool]string{true: "a host is left out: http://" + down + ": nothing listens there", false: "--min-hosts: 1 of 2 hosts answer, want at least 2; http://" + down}[want == process.ExitOK]
		if !strings.Contains(text.String(), said) {
			t.Errorf("%s: it does not say %q:\n%s", flag, said, text)
		}
	}
}
