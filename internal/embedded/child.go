package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"warp/internal/child"
)

// Child is the server's process. It changes the process's working directory, signal handling and os.Stdout.
var Child = &child.Kind{Arg: "__embedded-server", Main: serveParent}

const (
	removeTries = 50
	removePause = 20 * time.Millisecond
)

// order is what the parent asks of the child: one line of JSON on its standard input. Keys travel here because
// arguments and environments of a process can be read by others.
type order struct {
	Addr    string `json:"addr"`
	Dir     string `json:"dir"` // to be made, and removed at the end
	Access  string `json:"access"`
	Secret  string `json:"secret"`
	Sidecar bool   `json:"sidecar,omitempty"`
}

// answer is what the child says when it serves or has failed to: one line of JSON on its standard output.
type answer struct {
	Addr string `json:"addr,omitempty"` // host:port at which it is reached
	Err  string `json:"error,omitempty"`
}

// serveParent is the whole life of the server's process, and returns its exit code.
func serveParent(stdin io.Reader, stdout io.Writer) int {
	out := json.NewEncoder(stdout)
	ignoreSignals()
	// The gateway prints to os.Stdout, which carries our answer.
	os.Stdout = os.Stderr

	in := json.NewDecoder(stdin)
	var o order
	if err := in.Decode(&o); err != nil {
		_ = out.Encode(answer{Err: fmt.Sprintf("no order on standard input: %v", err)})
		return 1
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with the process at the latest
		_, _ = io.Copy(io.Discard, stdin)
		cancel()
	}()
	err := serve(ctx, o, func(addr string) error { return out.Encode(answer{Addr: addr}) })
	if err != nil {
		_ = out.Encode(answer{Err: err.Error()})
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// serve makes the directory, serves until ctx ends, and removes the directory.
func serve(ctx context.Context, o order, ready func(addr string) error) (err error) {
	if err := os.Mkdir(o.Dir, 0o700); err != nil {
		return err
	}
	release, lockErr := claim(o.Dir)
	if lockErr != nil { // a file system without locks: should this server be killed, its directory stays
		release = func() {}
	}
	defer func() { err = errors.Join(err, remove(o.Dir, release)) }()
	l, err := makeLayout(o.Dir, o.Sidecar)
	if err != nil {
		return err
	}
	return l.listenAndServe(ctx, o, ready)
}

// remove removes dir, which is released before the lock file goes. Requests that outlast the gateway's grace may still put
// files into directories that were just emptied, so it takes a few tries while they end.
func remove(dir string, release func()) (err error) {
	if runtime.GOOS == "windows" { // where nobody can remove a directory that a process works in
		_ = os.Chdir(os.TempDir())
	}
	for range removeTries {
		if err = removeAll(dir, release); err == nil {
			return nil
		}
		time.Sleep(removePause)
	}
	return err
}
