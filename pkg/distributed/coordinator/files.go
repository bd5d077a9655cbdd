package coordinator

import (
	"context"
	"errors"
	"io"
	"os"
)

// tempDir creates a directory for the recordings; empty if none are collected.
func (c *coordinator) tempDir() (string, error) {
	if c.opts.Recording == nil {
		return "", nil
	}
	return os.MkdirTemp(c.opts.TempDir, "warp-recordings-")
}

// merge writes the collected recordings as one.
func (c *coordinator) merge(ctx context.Context, files []string) error {
	var have []string
	for _, f := range files {
		if f != "" {
			have = append(have, f)
		}
	}
	if len(have) == 0 {
		return nil
	}
	if c.opts.Merge != nil {
		c.mu.Lock()
		r := c.partialResult()
		c.mu.Unlock()
		return c.opts.Merge(ctx, c.opts.Recording, have, r)
	}
	return concatenate(ctx, c.opts.Recording, have)
}

// concatenate writes recordings one after the other, which is a valid recording, though not in order of time.
func concatenate(_ context.Context, w io.Writer, files []string) error {
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
