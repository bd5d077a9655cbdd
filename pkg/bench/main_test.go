package bench_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"warp/internal/child"
	"warp/internal/embedded"
	"warp/internal/testkit"
	"warp/pkg/load/loop"
	"warp/pkg/s3"
)

// target is the server that the suite runs against: the embedded one, or one named in the environment; and the engine,
// which is the usual one unless the environment names another.
var target = s3.Config{
	Hosts:     []string{os.Getenv("WARP_TEST_HOST")},
	Store:     os.Getenv("WARP_TEST_STORE"),
	Root:      os.Getenv("WARP_TEST_ROOT"),
	AccessKey: s3.Secret(os.Getenv("WARP_TEST_ACCESS")),
	SecretKey: s3.Secret(os.Getenv("WARP_TEST_SECRET")),
	Region:    "us-east-1",
	Engine:    os.Getenv("WARP_TEST_ENGINE"),
}

// serverName is the name of that server in docs/reference/servers.md.
var serverName = "embedded"

func TestMain(m *testing.M) {
	if code, ran := child.Run(os.Args[1:], os.Stdin, os.Stdout, embedded.Child); ran {
		os.Exit(code)
	}
	testkit.Parallel(8) // tests wait more than they compute
	os.Exit(watched(m))
}

// ownServer skips a test that has a server of its own, and names its engines itself, where the environment names a server or
// an engine for the suite: it would do the same again.
func ownServer(t testing.TB) {
	t.Helper()
	if os.Getenv("WARP_TEST_HOST") != "" || os.Getenv("WARP_TEST_ENGINE") != "" {
		t.Skip("it has a server of its own")
	}
}

// aboutS3 skips a test of what other kinds of stores have not, or otherwise, where the server is one of them.
func aboutS3(t testing.TB) {
	t.Helper()
	if target.Store != "" && target.Store != s3.StoreS3 {
		t.Skip("it is about limits and requests of S3")
	}
}

// watched runs the tests, and fails if a turn blocked a loop.
func watched(m *testing.M) int {
	var blocked atomic.Int64
	stop := loop.Watch(10*time.Millisecond, func(stack string) {
		blocked.Add(1)
		fmt.Fprintln(os.Stderr, "a turn blocks its loop:", stack)
	})
	code := run(m, stop)
	if blocked.Load() > 0 && code == 0 {
		code = 1
	}
	return code
}

func run(m *testing.M, stop func()) int {
	if name := os.Getenv("WARP_TEST_SERVER"); name != "" {
		serverName = name
	}
	switch target.Store {
	case s3.StoreAzure:
		target.Region = ""
	case s3.StoreGCS: // an emulator of the JSON interface that looks at no credentials
		target.API = s3.APIJSON
		target.Region, target.AccessKey, target.SecretKey = "", "", ""
		target.Bearer, target.SessionToken = true, "none"
	}
	if target.Hosts[0] != "" {
		defer stop()
		return m.Run()
	}
	s, err := embedded.Start(context.Background(), embedded.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "the embedded server does not start:", err)
		return 1
	}
	target.Hosts[0], target.AccessKey, target.SecretKey = s.Endpoint(), s3.Secret(s.Access), s3.Secret(s.Secret)
	code := m.Run()
	stop()
	if err := s.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}
