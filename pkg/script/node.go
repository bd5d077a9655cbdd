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
)

func (k nodeKind) String() string {
	return [...]string{"a value", "no value", "a mapping", "a list"}[k]
}

// pair is an entry of a mapping.
type pair struct {
	key string
	pos Pos
	val *node
}
