package work

import "warp/pkg/op"

// labels adds the task's label to kinds of operations.
type labels struct {
	label string // empty: no label
	known map[LabelledKind]op.Kind
}

// LabelledKind returns a kind with its label, as recorded.
type LabelledKind struct {
	op.Kind
	Label string
}

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
