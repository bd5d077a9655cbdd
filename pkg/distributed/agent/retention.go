package agent

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"warp/pkg/recording"
)

// recordingName is what newRecorder calls files.
var recordingName = regexp.MustCompile(`^warp-[a-z]+-\d{4}-\d\d-\d\d\[\d{6}\]-[0-9A-Za-z]{4}\.csv\.zst$`)

// prune removes the oldest recordings of this client, so that one which runs for months does not fill its disk. Benchmarks
// that were run here by hand have names of the same kind, and several machines may share the directory: only what says of
// itself that this very client made it is removed.
func (c *Agent) prune() {
	if c.opts.Keep <= 0 {
		return
	}
	files := c.recordings()
	if len(files) <= c.opts.Keep {
		return
	}
	removed := 0
	for _, path := range files[c.opts.Keep:] {
		if err := os.Remove(path); err != nil {
			c.opts.Logf("An old recording stays: %v", err)
			continue
		}
		removed++
	}
	c.opts.Logf("Removed %d old recordings; the newest %d are kept.", removed, c.opts.Keep)
}

// recordings are those of this client, newest first.
func (c *Agent) recordings() (paths []string) {
	dir := c.opts.Dir
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		c.opts.Logf("Old recordings cannot be looked for: %v", err)
		return nil
	}
	var found []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && recordingName.MatchString(e.Name()) && c.madeHere(filepath.Join(dir, e.Name())) {
			found = append(found, info)
		}
	}
	slices.SortStableFunc(found, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range found {
		paths = append(paths, filepath.Join(dir, info.Name()))
	}
	return paths
}

// made tells whether a recording says that this client made it.
func (c *Agent) madeHere(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	r, err := recording.NewReader(f, path)
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }()
	var about struct {
		Client struct{ Host, Listen string }
	}
	return json.Unmarshal(r.Header().Config, &about) == nil && about.Client.Host == c.host && about.Client.Listen == c.Addr().String()
}
