// Package spill makes temporary files that leave nothing behind, however the process ends.
package spill

import (
	"errors"
	"fmt"
	"os"
)

// File makes a file in the directory for temporary ones, without a name where the system allows that. The caller must call Close.
func File() (*os.File, error) {
	f, err := os.CreateTemp("", "warp-trace-*")
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	_ = os.Remove(f.Name())
	return f, nil
}

// Close closes and removes files that File made.
func Close(files ...*os.File) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.Close())
		_ = os.Remove(f.Name()) // where it could not be removed while it was open
	}
	return err
}
