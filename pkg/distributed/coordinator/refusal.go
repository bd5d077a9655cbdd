package coordinator

import (
	"fmt"
	"strings"
)

// Refusal lists the clients that cannot take part in a run, and why. Nothing is started without all of them.
type Refusal struct {
	Of      int // clients that were named
	Clients []ClientError
}

// ClientError is the reason why one client cannot take part.
type ClientError struct {
	Addr string
	Err  error
}

// Error lists the clients, one on each line.
func (r *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d clients cannot take part; the run was not started:", len(r.Clients), r.Of)
	for _, c := range r.Clients {
		fmt.Fprintf(&b, "\n  %s: %v", c.Addr, c.Err)
	}
	return b.String()
}

// Unwrap returns the errors of the clients.
func (r *Refusal) Unwrap() []error {
	errs := make([]error, len(r.Clients))
	for i, c := range r.Clients {
		errs[i] = c.Err
	}
	return errs
}

// refusalOf returns a Refusal for the clients that have an error; nil: none has.
func refusalOf(members []*member, errs []error) error {
	r := &Refusal{Of: len(members)}
	for i, err := range errs {
		if err != nil {
			r.Clients = append(r.Clients, ClientError{members[i].addr, err})
		}
	}
	if len(r.Clients) == 0 {
		return nil
	}
	return r
}
