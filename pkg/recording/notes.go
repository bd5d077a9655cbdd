package recording

import "fmt"

// maxNotes is how many messages of a sort are kept; the others are counted.
const maxNotes = 10

// notes is a list of messages of one sort that stays short.
type notes struct {
	first []string
	count int64
}

func (n *notes) add(format string, args ...any) {
	n.count++
	if len(n.first) < maxNotes {
		n.first = append(n.first, fmt.Sprintf(format, args...))
	}
}

// list is the messages that were kept, and for the others one with their number: "NAME: 7 more " + what.
func (n *notes) list(name, what string) []string {
	all := append([]string(nil), n.first...)
	if more := n.count - int64(len(n.first)); more > 0 {
		all = append(all, fmt.Sprintf("%s: %d more %s", name, more, what))
	}
	return all
}
