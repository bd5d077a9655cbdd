package work

import "warp/pkg/op"

// labels gives kinds of operations their label.
type labels struct {
	label string // empty: they have none
	known map[LabelledKind]op.Kind
}

// LabelledKind is a kind that has a label in records.
type LabelledKind struct {
	op.Kind
	Label string
}

// kind returns a kind of operation with the label, if there is one.
func (l *labels) kind(k op.Kind) op.Kind {
	if l.label == "" {
		return k
	}
	labelled, ok := l.known[LabelledKind{k, l.label}]
	if !ok {
		if l.known == nil {
			l.known = map[LabelledKind]op.Kind{}
		}
		labelled = k.Labelled(l.label)
		l.known[LabelledKind{k, l.label}] = labelled
	}
	return labelled
}
