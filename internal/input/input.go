// Package input reads the texts that users name: scenarios, tokens, lists of hosts, sizes, rates and the like.
package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// The lengths that are usual: of a token or a certificate, and of a list.
const (
	Short = 4 << 20
	List  = 64 << 20
)

// mark is the byte order mark that some editors put at the beginning of a text.
var mark = []byte("\ufeff")

// pipeTime is how long a pipe may take: a program writes it, and may not even have been started.
const pipeTime = time.Minute

// Read returns a file of at most this number of bytes, without a byte order mark. Pipes are read, for a minute at most;
// devices are not, but for the one that is empty.
func Read(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			p.Op = "open" // which is what the user asked for
		}
		return nil, err
	}
	wrong := ""
	switch mode := info.Mode(); {
	case name == os.DevNull:
		return nil, nil
	case mode.IsDir():
		wrong = "is a directory"
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		wrong = "is a device"
	case mode.IsRegular() && info.Size() > limit:
		return nil, tooLong(name, limit)
	}
	if wrong != "" {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New(wrong + " (want a text file)")}
	}
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return readPipe(name, limit, pipeTime)
	}
	return readFile(name, limit)
}

// readPipe is readFile for a pipe, which may have no writer.
func readPipe(name string, size int64, limit time.Duration) ([]byte, error) {
	late := &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("the pipe was not written and closed within %v", limit)}
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, late)
	defer cancel()
	return Until(ctx, func() ([]byte, error) { return readFile(name, size) })
}

// Until returns what do returns, or nothing and the cause when ctx ends before. Then do goes on: nothing ends the opening of a pipe that
// has no writer.
func Until[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), context.Cause(ctx)
	}
}

func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := ReadFrom(f, name, limit)
	return text, errors.Join(err, f.Close())
}

// ReadFrom is Read for a stream of a name.
func ReadFrom(r io.Reader, name string, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = tooLong(name, limit)
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(text, mark), nil
}

func tooLong(name string, limit int64) error {
	return &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("too long for a text of its kind (want at most %d bytes)", limit)}
}
