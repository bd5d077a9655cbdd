package trace

import (
	"errors"
	"fmt"
	"os"
)

// tempFile makes a file without a name, where the system allows that, so that nothing is left of it however the process ends.
func tempFile() (*os.File, error) {
	f, err := os.CreateTemp("", "warp-trace-*")
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	_ = os.Remove(f.Name())
	return f, nil
}

func closeFiles(files []*os.File) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.Close())
		_ = os.Remove(f.Name()) // where it could not be removed while it was open
	}
	return err
}
