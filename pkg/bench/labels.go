package bench

import "warp/pkg/op"

// labels gives kinds of operations their label.
type labels struct {
	label string // empty: they have none
	known map[labelledKind]op.Kind
}

// labelledKind is a kind that has a label in records.
type labelledKind struct {
	op.Kind
	label string
}

// kind returns a kind of operation with the label, if there is one.
func (l *labels) kind(k op.Kind) op.Kind {
	if l.label == "" {
		return k
	}
	labelled, ok := l.known[labelledKind{k, l.label}]
	if !ok {
		if l.known == nil {
			l.known = map[labelledKind]op.Kind{}
		}
		labelled = k.Labelled(l.label)
		l.known[labelledKind{k, l.label}] = labelled
	}
	return labelled
}

// Labelled has the operations of do recorded with a label, unless those of the task have one already.
func Labelled(w *Worker, label string, do func() error) error {
	if w.labels.label == "" {
		w.labels.label = label
		defer func() { w.labels.label = "" }()
	}
	return do()
}
