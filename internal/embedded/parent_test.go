//go:build !noembed

package embedded_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/signal"

	"warp/internal/embedded"
)

// parentMode makes this test binary a small program that starts a server; see parentMain.
const parentMode = "WARP_TEST_EMBEDDED_PARENT"

// parentDir is the variable that says where its server keeps its directory.
const parentDir = "WARP_TEST_EMBEDDED_DIR"

// report is what that program tells of its server.
type report struct {
	Dir, Endpoint string
	Pid           int
}

// parentMain starts a server, tells of it on standard output, and stays until its input ends. On an interrupt it tells
// once more, if the server still answers, and then stops it.
func parentMain() int {
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	s, err := embedded.Start(context.Background(), embedded.Options{Dir: os.Getenv(parentDir)})
	if err != nil {
		panic(err)
	}
	out := json.NewEncoder(os.Stdout)
	rep := report{s.Dir(), s.Endpoint(), s.Pid()}
	_ = out.Encode(rep)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		interrupt <- os.Interrupt
	}()
	<-interrupt
	conn, err := net.Dial("tcp", s.Endpoint())
	if err != nil {
		return 1
	}
	_ = conn.Close()
	_ = out.Encode(rep)
	if s.Stop() != nil {
		return 1
	}
	return 0
}
