package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/cli/internal/process"
	"warp/internal/option"
)

// ErrExists refuses to replace a file that a flag names.
func ErrExists(flag, path string) error {
	return process.UsageErrors(option.Errorf(flag, "%s exists already; choose another name, or add --overwrite to replace it", path))
}

// OutputError returns an error about a flag as one about the key of that name in the outputs of a scenario.
func OutputError(err error) error {
	var o *option.Error
	if errors.As(err, &o) {
		return fmt.Errorf("outputs.%s: %w", strings.Join(o.Names, ", "), o.Err)
	}
	return err
}

// CheckNew refuses a file to be written that a flag names: one that the command reads or writes as well, a directory, or,
// unless overwrite is set, one that holds something. Devices and pipes hold nothing.
func CheckNew(flag, path string, overwrite bool, others ...string) error {
	info, err := os.Stat(path)
	for _, name := range others {
		other, otherErr := os.Stat(name)
		if err == nil && otherErr == nil && os.SameFile(info, other) && info.Mode().IsRegular() || filepath.Clean(name) == filepath.Clean(path) {
			return process.UsageErrors(option.Errorf(flag, "%s is a file that the same command reads or writes; choose another name", path))
		}
	}
	dir := filepath.Dir(path)
	_, dirErr := os.Stat(dir)
	switch {
	case dirErr != nil: // which is better known before a long run than after it
		return process.UsageErrors(option.Errorf(flag, "%s cannot be written: directory %s: %w", path, dir, WithoutPath(dirErr)))
	case err != nil: // the file does not exist, or creating it will report the problem
	case info.IsDir():
		return process.UsageErrors(option.Errorf(flag, "%s is a directory (want a file)", path))
	case info.Mode().IsRegular() && info.Size() > 0 && !overwrite:
		return ErrExists(flag, path)
	}
	return nil
}

// OpenNew opens a file to be written, and does not truncate it; made says that it was not there. One that is there is
// fs.ErrExist unless overwrite is set, or it is a device or a pipe.
func OpenNew(path string, overwrite bool) (f *os.File, made bool, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return f, err == nil, err
	}
	if info, statErr := os.Stat(path); !overwrite && (statErr != nil || info.Mode().IsRegular()) {
		return nil, false, err
	}
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	return f, false, err
}

// WithoutPath strips the name of the file and the operation from an error, where the message has them already.
func WithoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Stdout names standard output in place of a file.
const Stdout = "-"
