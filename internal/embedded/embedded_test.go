//go:build !noembed

package embedded_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"warp/internal/embedded"
)

func TestStartStop(t *testing.T) {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, embedded.Options{})
	if gone(s.Dir()) {
		t.Fatalf("no directory %s", s.Dir())
	}
	if host, _, err := net.SplitHostPort(s.Endpoint()); err != nil || host != "127.0.0.1" {
		t.Errorf("endpoint %q is not on loopback", s.Endpoint())
	}
	if len(s.Access) < 16 || len(s.Secret) < 32 {
		t.Errorf("keys of %d and %d characters are too short", len(s.Access), len(s.Secret))
	}
	c := connect(t, s, s.Access, s.Secret)
	b := bucket(t, c, "some-bucket")
	if _, err := c.PutObject(context.Background(), b, "a/b", strings.NewReader("x"), 1, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.Getwd(); got != wd {
		t.Errorf("working directory moved to %s", got)
	}
	for range 2 { // the second time does nothing
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	<-s.Done()
	if err := s.Err(); err != nil {
		t.Errorf("a server that was stopped has error %v", err)
	}
	if !gone(s.Dir()) {
		t.Errorf("%s was left", s.Dir())
	}
	if conn, err := net.Dial("tcp", s.Endpoint()); err == nil {
		_ = conn.Close()
		t.Errorf("%s still listens", s.Endpoint())
	}
}

func TestTwoAtOnce(t *testing.T) {
	one, two := start(t, embedded.Options{}), start(t, embedded.Options{})
	if one.Endpoint() == two.Endpoint() || one.Dir() == two.Dir() || one.Access == two.Access || one.Secret == two.Secret {
		t.Errorf("servers share something: %s %s, %s %s", one.Endpoint(), one.Dir(), two.Endpoint(), two.Dir())
	}
	bucket(t, connect(t, one, one.Access, one.Secret), "only-here")
	found, err := connect(t, two, two.Access, two.Secret).BucketExists(context.Background(), "only-here")
	if err != nil || found {
		t.Errorf("the other server has the bucket: %v, %v", found, err)
	}
	if err := one.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, two, two.Access, two.Secret).ListBuckets(context.Background()); err != nil {
		t.Errorf("the other server went too: %v", err)
	}
}

func TestDir(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	if err := os.WriteFile(own, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, embedded.Options{Dir: dir})
	if filepath.Dir(s.Dir()) != dir {
		t.Errorf("data in %s, not below %s", s.Dir(), dir)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(own); err != nil || string(got) != "keep" || !gone(s.Dir()) {
		t.Errorf("wrong things were removed: %q, %v", got, err)
	}
}

func TestKeysAndAddress(t *testing.T) {
	s := start(t, embedded.Options{Addr: "localhost:0", Access: "mykey", Secret: "my secret key"})
	if s.Access != "mykey" || s.Secret != "my secret key" {
		t.Errorf("keys are %q, %q", s.Access, s.Secret)
	}
	if _, err := connect(t, s, "mykey", "my secret key").ListBuckets(context.Background()); err != nil {
		t.Error(err)
	}
	all := start(t, embedded.Options{Addr: ":0"})
	if !strings.HasPrefix(all.Endpoint(), "127.0.0.1:") {
		t.Errorf("a server on all interfaces is reached at %s", all.Endpoint())
	}
}

func TestStartErrors(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()

	for name, tc := range map[string]struct {
		ctx  context.Context
		o    embedded.Options
		want []string
	}{
		"port in use": {o: embedded.Options{Addr: busy.Addr().String()}, want: []string{"cannot listen on " + busy.Addr().String(), "choose another port"}},
		"no address":  {o: embedded.Options{Addr: "192.0.2.1:9000"}, want: []string{"cannot listen on 192.0.2.1:9000", "this machine has no address 192.0.2.1"}},
		"no port":     {o: embedded.Options{Addr: "localhost"}, want: []string{`"localhost"`, "host:port"}},
		"no dir":      {o: embedded.Options{Dir: file + "-missing"}, want: []string{file + "-missing"}},
		"file as dir": {o: embedded.Options{Dir: file}, want: []string{"not a directory"}},
		"canceled":    {ctx: canceled, want: []string{"canceled"}},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			if tc.ctx == nil {
				tc.ctx = context.Background()
			}
			if tc.o.Dir == "" {
				tc.o.Dir = data
			}
			s, err := embedded.Start(tc.ctx, tc.o)
			if err == nil {
				_ = s.Stop()
				t.Fatal("no error")
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %q lacks %q", err, w)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error has several lines: %q", err)
			}
			if left, _ := os.ReadDir(data); len(left) > 0 {
				t.Errorf("%s was left", left[0].Name())
			}
		})
	}
}

func TestChildWithoutOrder(t *testing.T) {
	out, err := exec.Command(os.Args[0], embedded.Child.Arg).Output()
	if err == nil {
		t.Error("exit code 0")
	}
	if !strings.Contains(string(out), `"error"`) {
		t.Errorf("answer %q is no error", out)
	}
}
