package shell

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mvdan.cc/sh/v3/interp"

	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// fileTable are the files of a script. Those that it may not write are kept in memory, as are all in a check.
type fileTable struct {
	w      *World
	u      *unknowns
	mu     sync.Mutex
	memory map[string][]byte // by absolute path
	dirs   []string          // that a check would have made
	next   map[string]bool   // paths of scripts that are opened next, to be interpreted within this one
}

func newFileTable(w *World, u *unknowns) *fileTable {
	return &fileTable{w: w, u: u, memory: map[string][]byte{}}
}

// path returns the absolute path of a file.
func (t *fileTable) path(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(t.w.Dir, dir)
	}
	return filepath.Join(dir, name)
}

// access refuses a file.
func (t *fileTable) access(path string, write bool) error {
	if t.w.Access == nil {
		return errNoFiles
	}
	return t.w.Access(path, write)
}

// errNoFiles is the reason if a script may use no files.
var errNoFiles = errors.New("files are not read")

// read opens a file to be read.
func (t *fileTable) read(path string) (io.ReadCloser, error) {
	t.mu.Lock()
	text, ok := t.memory[path]
	t.mu.Unlock()
	if ok {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	if err := t.access(path, false); err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.Open(path)
}

// wrote notes that a file has contents that are not known in a check.
func (t *fileTable) wrote(at script.Pos, path string) {
	if !t.w.Check {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.memory[t.path("", path)] = []byte(t.u.mark(unknown{output: "the run, " + path, at: at}))
}

// output is a file that a script writes. It is opened when something is written, so that what is not executed empties no file.
type output struct {
	t       *fileTable
	path    string
	refused error                    // why it is kept in memory; nil: it is allowed
	open    func() (*os.File, error) // nil: it is kept in memory
	opened  sync.Once
	file    *os.File // once it is opened
	failed  error    // why it is not
	leftOut bool     // a command that is not executed would have written it
}

// create opens a file to be written.
func (t *fileTable) create(path string, flag int, perm os.FileMode) (*output, error) {
	f := &output{t: t, path: path, refused: t.access(path, true)}
	if !t.w.Check && f.refused == nil {
		f.open = func() (*os.File, error) { return os.OpenFile(path, flag, perm) }
		_, err := os.Stat(filepath.Dir(path)) // which is better known before a long run
		return f, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if flag&os.O_APPEND == 0 {
		t.memory[path] = []byte{}
	}
	return f, nil
}

// maxMemory is the maximum size of a file that is kept in memory.
const maxMemory = 64 << 20

func (f *output) Write(b []byte) (int, error) {
	if f.open != nil {
		f.opened.Do(func() { f.file, f.failed = f.open() })
		if f.failed != nil {
			return 0, f.failed
		}
		_, err := io.WriteString(f.file, f.t.u.shown(string(b)))
		return len(b), err
	}
	f.t.mu.Lock()
	defer f.t.mu.Unlock()
	if len(f.t.memory[f.path]) > maxMemory {
		return 0, errors.New("the file is too large to be kept in memory")
	}
	f.t.memory[f.path] = append(f.t.memory[f.path], b...)
	return len(b), nil
}

// Read implements io.Reader, which the interpreter wants. No file is opened for both.
func (f *output) Read([]byte) (int, error) { return 0, io.EOF }

func (f *output) Close() error {
	if f.open == nil || f.leftOut {
		return nil
	}
	if _, err := f.Write(nil); err != nil { // even if nothing was written: it is emptied
		return err
	}
	return f.file.Close()
}

// input is a file that a script reads.
type input struct{ io.ReadCloser }

func (input) Write([]byte) (int, error) { return 0, fs.ErrInvalid }

// device is what a script may write to that is no file.
type device struct{ io.Writer }

func (device) Read([]byte) (int, error) { return 0, io.EOF }
func (device) Close() error             { return nil }

// ofSystem are directories of devices and of the kernel: nothing is written there.
var ofSystem = []string{"/dev/", "/proc/", "/sys/"}

// open opens a file of a redirection.
func (s *session) open(ctx context.Context, name string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	c := &command{HandlerContext: interp.HandlerCtx(ctx), in: ctx.Value(runningKey{}).(*running)}
	return s.openFile(c, name, flag, perm)
}

// openFile opens a file of a command.
func (s *session) openFile(c *command, name string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	write := flag&(os.O_WRONLY|os.O_RDWR) != 0
	at := c.in.unit.redirection(name)
	if found := s.unknowns.in(name); len(found) > 0 {
		if found[0].variable != "" {
			s.missing(found[0].at, found[0].variable)
		} else {
			s.complain(found[0].at, "the output of %s is not known%s", found[0].output, s.hint(found[0]))
		}
		return device{io.Discard}, nil
	}
	path := s.files.path(c.Dir, name)
	switch {
	case path == "/dev/null":
		return device{io.Discard}, nil
	case write && path == "/dev/stdout":
		return device{c.Stdout}, nil
	case write && (path == "/dev/stderr" || path == "/dev/tty"):
		return device{c.Stderr}, nil
	case write && slices.ContainsFunc(ofSystem, func(dir string) bool { return strings.HasPrefix(path, dir) }):
		s.leaveOut(at, "> "+path)
		return device{io.Discard}, nil
	case write:
		return s.files.create(path, flag, perm)
	}
	f, err := s.files.read(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: reason(err)}
	}
	if s.files.sourced(path) {
		return s.included(c, f)
	}
	return input{f}, nil
}

// source notes that a script is opened next, to be interpreted within this one.
func (t *fileTable) source(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next == nil {
		t.next = map[string]bool{}
	}
	t.next[path] = true
}

// sourced reports whether it is, once.
func (t *fileTable) sourced(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.next[path]
	delete(t.next, path)
	return found
}

// included returns the text of a script that is interpreted within this one, as it is interpreted.
func (s *session) included(c *command, f io.ReadCloser) (io.ReadWriteCloser, error) {
	text, err := io.ReadAll(io.LimitReader(f, draft.MaxText))
	if err = closed(f, err); err != nil {
		return nil, err
	}
	if file, wrong := parse(string(text)); wrong == nil { // else the interpreter says what is wrong
		text = []byte(s.rewritten(file, c.in.unit.included()))
	}
	return input{io.NopCloser(bytes.NewReader(text))}, nil
}

// reason returns why a file cannot be used, without its path.
func reason(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// closed closes a file, and returns the first error.
func closed(f io.Closer, err error) error { return errors.Join(err, f.Close()) }

// stat implements interp.StatHandlerFunc. Programs that are known exist.
func (s *session) stat(_ context.Context, name string, _ bool) (fs.FileInfo, error) {
	path := s.files.path("", name)
	s.files.mu.Lock()
	text, inMemory := s.files.memory[path]
	made := slices.Contains(s.files.dirs, path)
	s.files.mu.Unlock()
	switch {
	case inMemory:
		return fileInfo{name: filepath.Base(path), size: int64(len(text))}, nil
	case made:
		return fileInfo{name: filepath.Base(path), dir: true}, nil
	case s.Known(programName(path)):
		return fileInfo{name: filepath.Base(path), size: 1, program: true}, nil
	case s.World.Access == nil:
		return nil, &os.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return os.Stat(path)
}

// access implements interp.AccessHandlerFunc.
func (s *session) access(ctx context.Context, path string, mode interp.AccessMode) error {
	info, err := s.stat(ctx, path, true)
	if err == nil && mode&interp.AccessExec != 0 && !info.IsDir() && info.Mode()&0o111 == 0 {
		err = fs.ErrPermission
	}
	return err
}

// readDir implements interp.ReadDirHandlerFunc2.
func (s *session) readDir(_ context.Context, path string) ([]fs.DirEntry, error) {
	path = s.files.path("", path)
	if s.files.access(path, false) != nil {
		return nil, nil // as an empty one: patterns stay as they are
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, nil //nolint:nilerr // likewise
	}
	return list, nil
}

// fileInfo is about a file in memory, or one that is not there.
type fileInfo struct {
	name         string
	size         int64
	dir, program bool
}

// Name implements fs.FileInfo, as do the others.
func (i fileInfo) Name() string     { return i.name }
func (i fileInfo) Size() int64      { return i.size }
func (fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool      { return i.dir }
func (fileInfo) Sys() any           { return nil }
func (i fileInfo) Mode() fs.FileMode {
	switch {
	case i.dir:
		return fs.ModeDir | 0o755
	case i.program:
		return 0o755
	}
	return 0o644
}
