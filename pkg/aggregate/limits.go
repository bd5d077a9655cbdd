package aggregate

import "fmt"

// What statistics take memory for is limited, so that a recording of something else, or one made to do harm, is refused
// instead of filling the memory. Runs of ten thousand clients stay below.
const (
	maxKinds     = 64      // kinds of operations, counted in each phase: 1 to 8 MB each
	maxKindParts = 1 << 17 // kinds times hosts and clients: 1 to 30 KB each
	maxKindTurns = 1 << 23 // kinds times threads: 25 bytes each
	maxNameBytes = 1 << 26 // of the names of hosts and clients
)

// tooManyError is what ends statistics of too many different things.
type tooManyError struct{ what string }

func (e *tooManyError) Error() string {
	return "it has more than " + e.what + ", too many for statistics: it is no recording of a benchmark"
}

// check is an error if so many kinds of operations with these hosts, clients and threads are too many.
func (t *tables) check(kinds int) error {
	parts, clients := len(t.hosts.list), &t.threads.clients
	parts += len(clients.list)
	switch {
	case kinds > maxKinds:
		return &tooManyError{fmt.Sprintf("%d kinds of operations", maxKinds)}
	case kinds*parts > maxKindParts:
		return &tooManyError{fmt.Sprintf("%d hosts and clients in %d kinds of operations", maxKindParts/kinds, kinds)}
	case kinds*len(t.threads.list) > maxKindTurns:
		return &tooManyError{fmt.Sprintf("%d threads in %d kinds of operations", maxKindTurns/kinds, kinds)}
	case t.hosts.bytes+clients.bytes > maxNameBytes:
		return &tooManyError{fmt.Sprintf("%d bytes of names of hosts and clients", maxNameBytes)}
	}
	return nil
}
