//go:build !noembed

package embedded

import (
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
)

// layout is how the server's directory is divided. The gateway wants the parts side by side, none within another.
type layout struct {
	data     string // buckets and current objects
	versions string // older versions
	sidecar  string // metadata; empty: it is kept in extended attributes
}

// makeLayout makes the directories below dir. Metadata goes into extended attributes if the file system has them, which
// is faster and half as many files.
func makeLayout(dir string, sidecar bool) (layout, error) {
	l := layout{data: filepath.Join(dir, "data"), versions: filepath.Join(dir, "versions")}
	for _, d := range []string{l.data, l.versions} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return layout{}, err
		}
	}
	if sidecar || !hasXattr(l.versions) {
		l.sidecar = filepath.Join(dir, "sidecar")
		if err := os.Mkdir(l.sidecar, 0o700); err != nil {
			return layout{}, err
		}
	}
	return l, nil
}

// hasXattr tries whether attributes can be written to dir; some systems know them and refuse on some file systems.
func hasXattr(dir string) bool {
	const name = "warp-probe"
	x := meta.XattrMeta{}
	if x.StoreAttribute(nil, dir, "", name, []byte("1")) != nil {
		return false
	}
	return x.DeleteAttribute(dir, "", name) == nil
}
