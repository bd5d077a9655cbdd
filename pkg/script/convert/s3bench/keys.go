package s3bench

import (
	"regexp"
	"strconv"
	"strings"
)

var template = regexp.MustCompile(`^(.*)/\{i/([0-9]+)\}/\{i%([0-9]+)\}$`)

// Keys returns the prefix of a template of keys, and how many keys have a directory in common. In a template of another form the
// prefix is what precedes its first part.
func Keys(keys string) (prefix string, batch int) {
	prefix = keys
	if m := template.FindStringSubmatch(keys); m != nil && m[2] == m[3] {
		prefix = m[1]
		batch, _ = strconv.Atoi(m[2])
	} else if i := strings.IndexByte(strings.ReplaceAll(keys, "{{", "  "), '{'); i >= 0 {
		prefix = keys[:i]
	}
	return strings.NewReplacer("{{", "{", "}}", "}").Replace(prefix), batch
}
