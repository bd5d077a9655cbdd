// Package files opens the files that commands read, and puts those that they write into their places when they are complete.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"warp/cli/internal/process"
	"warp/internal/unpack"
	"warp/pkg/recording"
	"warp/pkg/runinfo"
)

// StandardInput is the name of a recording that standard input holds.
const StandardInput = "standard input"

// Inputs are the recordings that a command reads, with the progress of reading them.
type Inputs struct {
	List     []recording.Input
	stdin    *os.File // what came from standard input; nil if nothing did
	Progress *readProgress
}

// Open prepares files for reading; "-" is standard input, which is read at once. The caller must call close.
func Open(e *process.Env, quiet bool, files ...string) (*Inputs, error) {
	s := &Inputs{}
	if i := slices.Index(files, "-"); i >= 0 {
		if slices.Contains(files[i+1:], "-") {
			return nil, process.UsageError("\"-\" is given twice, but stands for the one standard input")
		}
		var err error
		if s.stdin, err = spool(e.Stdin); err != nil {
			return nil, err
		}
	}
	s.Progress = newReadProgress(e, quiet)
	for _, path := range files {
		if path == "-" {
			s.List = append(s.List, recording.Input{Name: StandardInput, Open: s.rewind})
		} else {
			s.List = append(s.List, s.File(path))
		}
	}
	return s, nil
}

// File is one more recording, with progress.
func (s *Inputs) File(path string) recording.Input {
	return recording.Input{Name: path, Open: func() (io.ReadCloser, error) { return s.Progress.open(path) }}
}

func (s *Inputs) rewind() (io.ReadCloser, error) {
	_, err := s.stdin.Seek(0, io.SeekStart)
	return io.NopCloser(s.stdin), err
}

// Close releases all inputs.
func (s *Inputs) Close() {
	s.Progress.close()
	if s.stdin != nil {
		_ = s.stdin.Close()
		_ = os.Remove(s.stdin.Name()) // where it could not be removed while it was open
	}
}

// spool keeps standard input in a temporary file, because statistics read a recording twice. The file has no name any
// more, so that nothing is left of it however the process ends, where the system allows that.
func spool(r io.Reader) (*os.File, error) {
	f, err := os.CreateTemp("", "warp-stdin-*")
	if err == nil {
		_ = os.Remove(f.Name())
		if _, err = io.Copy(f, r); err == nil {
			return f, nil
		}
		err = errors.Join(err, f.Close())
	}
	return nil, fmt.Errorf("keep standard input for a second reading: %w", err)
}

// Input is a recording that is read without progress.
func Input(path string) recording.Input {
	return recording.Input{Name: path, Open: func() (io.ReadCloser, error) { return openRecording(path) }}
}

// openRecording opens a recording. Where only the name is right, the error has the whole one: MinIO warp records
// statistics in NAME.json.zst, and scripts know the name that they gave to --benchdata. All errors are of type *fs.PathError.
func openRecording(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err == nil {
		if info, _ := f.Stat(); info != nil && info.IsDir() {
			_ = f.Close()
			return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
		}
		return f, nil
	}
	whole := strings.TrimSuffix(path, ".json.zst") + runinfo.Suffix
	var p *fs.PathError
	if _, there := os.Stat(whole); there == nil && errors.Is(err, fs.ErrNotExist) && errors.As(err, &p) {
		p.Err = fmt.Errorf("%w (did you mean %s?)", p.Err, whole)
	}
	return nil, err
}

// Duplicate finds two names of one recording, or of copies of it. Counted as the recordings of two clients it would double
// everything, and as two runs it would make them look alike.
func Duplicate(files []string) (a, b string, found bool) {
	sizes := make(map[int64][]string)
	var regular, others []string // others: not compressed as recordings are when they are made
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // reading it reports that
		}
		for _, other := range sizes[info.Size()] {
			if sameContent(other, path, os.Open) {
				return other, path, true
			}
		}
		sizes[info.Size()] = append(sizes[info.Size()], path)
		regular = append(regular, path)
		if text, err := openText(path); err == nil {
			if text.Compression != unpack.Zstd {
				others = append(others, path)
			}
			_ = text.Close()
		}
	}
	for _, path := range others {
		for _, other := range regular {
			if other != path && sameContent(other, path, openText) {
				return other, path, true
			}
		}
	}
	return "", "", false
}

// textFile is the text of a file that may be compressed.
type textFile struct {
	*unpack.Text
	file *os.File
}

func openText(path string) (*textFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := unpack.New(f, recording.MaxWindow)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &textFile{text, f}, nil
}

// Close closes the file.
func (t *textFile) Close() error {
	t.Text.Close()
	return t.file.Close()
}

// sameContent reports whether two files have the same content. Recordings of different runs differ within their first bytes.
func sameContent[F io.ReadCloser](pathA, pathB string, open func(string) (F, error)) bool {
	fileA, err := open(pathA)
	if err != nil {
		return false
	}
	defer func() { _ = fileA.Close() }() // only read
	fileB, err := open(pathB)
	if err != nil {
		return false
	}
	defer func() { _ = fileB.Close() }()
	a, b := bufio.NewReaderSize(fileA, 64<<10), bufio.NewReaderSize(fileB, 64<<10)
	for {
		x, errA := a.ReadByte()
		y, errB := b.ReadByte()
		if errA != nil || errB != nil {
			return errA == io.EOF && errB == io.EOF
		}
		if x != y {
			return false
		}
	}
}

// LimitGarbage has less garbage pile up than usual until the function that it returns is called: an analysis makes little, and a
// recording of any size should fit into little memory.
func LimitGarbage() (restore func()) {
	const percent = 15
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
