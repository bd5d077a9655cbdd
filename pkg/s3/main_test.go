package s3_test

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"warp/internal/responder"
	"warp/pkg/s3/internal/s3test"
)

var (
	serve      = s3test.Serve
	eachEngine = s3test.EachEngine
	open       = s3test.Open
	handle     = s3test.Handle
	serveConns = s3test.ServeConns
	punctual   = s3test.Punctual
	putCall    = s3test.PutCall
	class      = s3test.Class
)

type opener = s3test.Opener

// serveRaw is what this binary does in the process that benchmarks start, so that only the client's CPU is counted.
const serveRaw = "WARP_TEST_SERVE_RAW"

func TestMain(m *testing.M) {
	if size := os.Getenv(serveRaw); size != "" {
		n, err := strconv.Atoi(size)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		r, err := responder.NewRaw("127.0.0.1:0", n, responder.RawSmall)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(r.Host())
		_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark ends
		os.Exit(0)
	}
	if text := os.Getenv(serveCanned); text != "" {
		if err := runCanned(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if url := os.Getenv(keysURL); url != "" {
		if err := printKeys(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
