package script

// node is a part of a file as YAML sees it: a scalar, a mapping or a list.
type node struct {
	kind   nodeKind
	text   string // of a scalar
	pairs  []pair
	items  []*node
	pos    Pos
	note   *Note // comments, if any
	always bool  // written in block style, even if it fits on one line
}

type nodeKind uint8

const (
	scalar nodeKind = iota
	empty           // no value, or null
	mapping
	list
	broken // there is a complaint about it already
)

func (k nodeKind) String() string {
	return [...]string{"a value", "no value", "a mapping", "a list", "nothing"}[k]
}

// pair is an entry of a mapping.
type pair struct {
	key string
	pos Pos
	val *node
}

// lookup returns the value of a key; nil without one.
func (n *node) lookup(key string) *node {
	for _, p := range n.pairs {
		if p.key == key {
			return p.val
		}
	}
	return nil
}
