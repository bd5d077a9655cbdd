package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"weak"

	"warp/pkg/units"
)

// Source identifies files whose contents objects have. Each client reads them at the same path, and the sum proves that they hold the same:
// a plan from the network cannot have a client send a file that the sender of the plan does not have.
type Source struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of all files, one after the other in the order of their names
}

// maxSource is how many bytes of files are used at most; they are kept in memory.
const maxSource = 1 << 30

// read returns the contents of the files that s was made of.
func (s *Source) read(path string) (*[]byte, error) {
	if data := sources.get(s.SHA256); data != nil {
		return data, nil
	}
	files, size, err := sourceFiles(path)
	if err != nil {
		return nil, err
	}
	other := fmt.Errorf("%s holds something else than when the run was planned", path)
	if size != s.Bytes {
		return nil, other
	}
	data, sum, err := readFiles(files, size)
	if err != nil {
		return nil, err
	}
	if sum != s.SHA256 {
		return nil, other
	}
	sources.put(sum, &data)
	return &data, nil
}

// sourceFiles returns a file, or all files in a directory that are not hidden, and their size.
func sourceFiles(path string) (files []string, size int64, err error) {
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return nil, 0, err
	}
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch hidden := name != path && strings.HasPrefix(d.Name(), "."); {
		case err == nil && hidden && d.IsDir():
			return fs.SkipDir
		case err != nil || hidden || !d.Type().IsRegular():
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, size = append(files, name), size+info.Size()
		return nil
	})
	switch {
	case err != nil:
		return nil, 0, err
	case size == 0:
		return nil, 0, fmt.Errorf("%s: no contents (want a file, or a directory with files)", path)
	case size > maxSource:
		return nil, 0, fmt.Errorf("%s: %s (want at most %s, which are kept in memory)", path, units.Size(size), units.ExactSize(maxSource))
	}
	return files, size, nil
}

// readFiles returns the contents of files, which may have grown a little meanwhile, and their sum.
func readFiles(files []string, size int64) (data []byte, sum string, err error) {
	data = make([]byte, 0, size)
	for _, name := range files {
		text, err := readFile(name)
		if err != nil {
			return nil, "", err
		}
		data = append(data, text...)
	}
	h := sha256.Sum256(data)
	return data, hex.EncodeToString(h[:]), nil
}

// readFile returns the contents of a file, however much it has grown at most as many as all files may have.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSource))
	return text, errors.Join(err, f.Close())
}

// sourceCache has the contents of files as long as a data set uses them: each client of a run has a data set.
type sourceCache struct {
	mu sync.Mutex
	of map[string]weak.Pointer[[]byte]
}

var sources sourceCache

func (c *sourceCache) get(sum string) *[]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[sum].Value()
}

func (c *sourceCache) put(sum string, data *[]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]weak.Pointer[[]byte]{}
	}
	c.of[sum] = weak.Make(data)
}
