package agent

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"warp/pkg/recording"
	"warp/pkg/units"
)

// recordingName matches the file names of newRecorder, today's and earlier ones with the time in brackets.
var recordingName = regexp.MustCompile(`^warp-.+-\d{4}-\d\d-\d\d(-\d{6}|\[\d{6}\])-[0-9A-Za-z]{4}\.csv\.zst$`)

// retention keeps the newest recordings of this client.
type retention struct {
	opts *Options
	self identity
}

// prune removes the oldest recordings of this client, so that its disk does not fill up over months. Recordings of local runs
// have such names too, and machines may share the directory: only files whose header names this very client are removed.
func (r retention) prune() {
	if r.opts.Keep <= 0 {
		return
	}
	files := r.recordings()
	if len(files) <= r.opts.Keep {
		return
	}
	removed := 0
	for _, path := range files[r.opts.Keep:] {
		if err := os.Remove(path); err != nil {
			r.opts.Logf("Cannot remove an old recording: %v", err)
			continue
		}
		removed++
	}
	r.opts.Logf("Removed %s; the newest %d are kept.", units.Plural(int64(removed), "old recording"), r.opts.Keep)
}

// recordings returns the recordings of this client, newest first.
func (r retention) recordings() (paths []string) {
	dir := r.opts.Dir
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		r.opts.Logf("Cannot look for old recordings: %v", err)
		return nil
	}
	var found []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && recordingName.MatchString(e.Name()) && r.isOwn(filepath.Join(dir, e.Name())) {
			found = append(found, info)
		}
	}
	slices.SortStableFunc(found, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range found {
		paths = append(paths, filepath.Join(dir, info.Name()))
	}
	return paths
}

// isOwn reports whether the header of a recording names this client.
func (r retention) isOwn(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	in, err := recording.NewReader(f, path)
	if err != nil {
		return false
	}
	defer func() { _ = in.Close() }()
	var about struct {
		Client struct{ Host, Listen string }
	}
	return json.Unmarshal(in.Header().Config, &about) == nil &&
		about.Client.Host == r.self.host && about.Client.Listen == r.self.listen.String()
}
