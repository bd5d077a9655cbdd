package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"warp/cli/internal/process"
	"warp/internal/clock"
	"warp/internal/input"
)

// readingLine is how often a line about reading is printed where there is no terminal. What is read sooner prints none.
const readingLine = 5 * time.Second

// readProgress shows how much of the open recordings was read: on a terminal in one line that is gone when they are
// read, elsewhere a line now and then. A recording that is read twice starts over.
type readProgress struct {
	out      io.Writer
	terminal bool
	width    func() int
	mu       sync.Mutex
	files    []*readFile // that are open
	shown    bool        // there is a line on the terminal
	stop     func()
	halted   context.Context // over with the first interrupt
}

// newReadProgress begins to show progress. The caller must call close.
func newReadProgress(e *process.Env, quiet bool) *readProgress {
	r := &readProgress{
		out:      e.Stderr,
		terminal: e.TTY,
		width:    e.Width,
		stop:     func() {},
		halted:   e.Halted(),
	}
	interval := readingLine
	if r.terminal {
		interval = process.Refresh
	}
	if !quiet {
		r.stop = clock.Every(interval, r.show)
	}
	return r
}

// Bytes returns how much of the open recordings was read. Inputs without a size, such as pipes, do not count.
func (r *readProgress) Bytes() (done, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sum()
}

// sum is bytes; r.mu is held.
func (r *readProgress) sum() (done, size int64) {
	for _, f := range r.files {
		done, size = done+min(f.read.Load(), f.size), size+f.size
	}
	return done, size
}

// show prints how much was read.
func (r *readProgress) show() {
	r.mu.Lock()
	defer r.mu.Unlock()
	done, size := r.sum()
	if size == 0 {
		return
	}
	what := fmt.Sprintf("%d recordings", len(r.files))
	if len(r.files) == 1 {
		what = r.files[0].name
	}
	percent := fmt.Sprintf(": %d%%", 100*done/size)
	if !r.terminal {
		fmt.Fprintf(r.out, "Reading %s%s\n", what, percent)
		return
	}
	// A line that wraps could not be taken back.
	if room := r.width() - len("Reading ") - len(percent) - 1; len(what) > room {
		what = what[:max(0, room)]
	}
	fmt.Fprintf(r.out, "\rReading %s%s\x1b[K", what, percent)
	r.shown = true
}

// close ends showing.
func (r *readProgress) close() {
	r.stop()
	r.erase()
}

// erase takes the line off the terminal, before something else is printed there.
func (r *readProgress) erase() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shown {
		fmt.Fprint(r.out, "\r\x1b[K")
		r.shown = false
	}
}

// readFile is a recording that counts what was read of it. It is still a file, at whose end a reader can look.
type readFile struct {
	*os.File
	name           string
	size           int64
	read           atomic.Int64
	progress       *readProgress
	stopInterrupts func() bool // ends heeding interrupts
}

// openPipe is openRecording for files that may be pipes. An interrupt does not wait until a pipe has a writer.
func openPipe(halted context.Context, path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return openRecording(path)
	}
	return input.Until(halted, func() (*os.File, error) { return os.Open(path) })
}

func (r *readProgress) open(path string) (io.ReadCloser, error) {
	f, err := openPipe(r.halted, path)
	if err != nil {
		return nil, err
	}
	c := &readFile{
		File:           f,
		name:           filepath.Base(path),
		progress:       r,
		stopInterrupts: func() bool { return true },
	}
	switch info, err := f.Stat(); {
	case err != nil:
	case info.Mode().IsRegular():
		c.size = info.Size()
	case info.Mode()&fs.ModeNamedPipe != 0:
		c.stopInterrupts = context.AfterFunc(r.halted, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) }) // which ends a Read that waits
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files = append(r.files, c)
	return c, nil
}

func (f *readFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	f.read.Add(int64(n))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = context.Cause(f.progress.halted)
	}
	return n, err
}

func (f *readFile) Close() error {
	r := f.progress
	r.mu.Lock()
	r.files = slices.DeleteFunc(r.files, func(other *readFile) bool { return other == f })
	r.mu.Unlock()
	r.erase()
	f.stopInterrupts()
	return f.File.Close()
}
