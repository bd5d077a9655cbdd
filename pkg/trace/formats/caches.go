package formats

import (
	"strings"

	"warp/pkg/op"
)

// cacheKinds are the commands of caches.
var cacheKinds = map[string]op.Kind{
	"get": op.Get, "gets": op.Get, "get_lease": op.Get, "getlease": op.Get, "read": op.Get, "gat": op.Get, "gats": op.Get,
	"set": op.Put, "add": op.Put, "replace": op.Put, "cas": op.Put, "append": op.Put, "prepend": op.Put, "incr": op.Put, "decr": op.Put,
	"set_lease": op.Put, "write": op.Put,
	"delete": op.Delete,
}

func cacheKind(command []byte) (op.Kind, bool) {
	if kind, ok := cacheKinds[string(command)]; ok {
		return kind, true
	}
	kind, ok := cacheKinds[strings.ToLower(string(command))]
	return kind, ok
}
