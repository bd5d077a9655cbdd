package target

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func files(contents map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := contents[name]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("open %s: %w", name, os.ErrNotExist)
	}
}

var hostFiles = files(map[string]string{
	"hosts.txt": "# nodes\n\nh{1...2}:9000  # two\r\nh9:9000\n  h1:9000\n",
	"bad.txt":   "h1\nh2:x\n",
	"empty.txt": "# nothing\n",
})

// works: MinIO warp: hosts in lists, as ranges `{1...10}`, in files: `--host=file:NAME`
func TestExpandHosts(t *testing.T) {
	no, yes := new(bool), new(bool)
	*yes = true
	tests := []struct {
		spec string
		want string
		tls  *bool
	}{
		{"h", "h", nil},
		{"127.0.0.1:9000", "127.0.0.1:9000", nil},
		{" a:1 , b:2,a:1", "a:1 b:2", nil},
		{"h{1...3}:9000", "h1:9000 h2:9000 h3:9000", nil},
		{"h{9...11}", "h9 h10 h11", nil},
		{"h{08...11}", "h08 h09 h10 h11", nil},
		{"h{0...1}", "h0 h1", nil},
		{"h{001...2}", "h001 h002", nil},
		{"{a...c}.x", "a.x b.x c.x", nil},
		{"r{1...2}n{1...2}:90{00...01}", "r1n1:9000 r1n1:9001 r1n2:9000 r1n2:9001 r2n1:9000 r2n1:9001 r2n2:9000 r2n2:9001", nil},
		{"{1...2}{1...2}", "11 12 21 22", nil},
		{"file:hosts.txt", "h1:9000 h2:9000 h9:9000", nil},
		{"x,file:hosts.txt,y", "x h1:9000 h2:9000 h9:9000 y", nil},
		{"::1", "[::1]", nil},
		{"[::1]", "[::1]", nil},
		{"[::1]:9000", "[::1]:9000", nil},
		{"[fd00::{1...2}]:9000", "[fd00::1]:9000 [fd00::2]:9000", nil},
		{"http://h:9000", "h:9000", no},
		{"HTTPS://h/", "h", yes},
		{"https://a{1...2},b", "a1 a2 b", yes},
		{"http://[::1]:9000/", "[::1]:9000", no},
		{"play_ground.min-io.example:443", "play_ground.min-io.example:443", nil},
	}
	for _, tc := range tests {
		got, tls, err := ExpandHosts(tc.spec, hostFiles)
		if err != nil || strings.Join(got, " ") != tc.want {
			t.Errorf("%q: %q, %v, want %q", tc.spec, got, err, tc.want)
		}
		if (tls == nil) != (tc.tls == nil) || tls != nil && *tls != *tc.tls {
			t.Errorf("%q: wrong scheme", tc.spec)
		}
	}
}

func TestExpandHostsErrors(t *testing.T) {
	tests := []struct{ spec, want string }{
		{"", "empty host"},
		{"a,,b", "empty host"},
		{"file:empty.txt", "no host found"},
		{"file:none.txt", "none.txt"},
		{"file:bad.txt", "bad.txt:2"},
		{"h{1..3}", "not a range"},
		{"h{1...", "not closed"},
		{"h1...3}", "{1...10}"},
		{"h{3...1}", "backwards"},
		{"h{a...1}", "not a range"},
		{"h{-1...1}", "not a range"},
		{"h{1...1000000}", "more than 100000"},
		{"h{1...400}{1...400}", "more than 100000"},
		{"h{1...100000},x", "more than 100000"},
		{"h{1...99999999999999999999}", "not a range"},
		{"http://a,https://b", "cannot be mixed"},
		{"ftp://a", "scheme"},
		{"http://a/bucket", "--bucket"},
		{"a/bucket", "--bucket"},
		{"http://a?x", "does not belong"},
		{"http://key:secret@a", "--access-key"},
		{"a:0", "1 to 65535"},
		{"a:65536", "1 to 65535"},
		{"a:b", "1 to 65535"},
		{"a:", "port is missing"},
		{":9000", "name is missing"},
		{"[::1", "not closed"},
		{"[::1]9000", "not a port"},
		{"[::1]:", "not a port"},
		{"[127.0.0.1]:1", "not an IPv6"},
		{"a:b:c", "not an IPv6"},
		{"a b", "cannot be part"},
		{"http://", "name is missing"},
	}
	for _, tc := range tests {
		got, _, err := ExpandHosts(tc.spec, hostFiles)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %q, %v; want an error with %q", tc.spec, got, err, tc.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret@") && strings.Contains(tc.spec, "secret@") {
			t.Errorf("%q: the secret is in the error: %v", tc.spec, err)
		}
	}
}

func FuzzExpandHosts(f *testing.F) {
	for _, s := range []string{"a,b", "h{1...3}:9000", "[::1]:1", "::1", "file:hosts.txt", "https://x/", "{01...3}{a...c}", "{", "a:b:c", "h{1...99999}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		hosts, _, err := ExpandHosts(spec, hostFiles)
		if err != nil {
			return
		}
		if len(hosts) == 0 || len(hosts) > 2*MaxHosts {
			t.Fatalf("%q: %d hosts", spec, len(hosts))
		}
		if len(hosts) > 100 {
			hosts = hosts[:100]
		}
		again, tls, err := ExpandHosts(strings.Join(hosts, ","), hostFiles)
		if err != nil || tls != nil || !slices.Equal(again, hosts) {
			t.Errorf("%q gives %q, which gives %q, %v", spec, hosts, again, err)
		}
	})
}
