package lean

import (
	"errors"
	"time"
)

// AskFor is how long to wait for a server to say whether it wants a body. One that does not say so gets it: it may
// know nothing of such questions (RFC 9110, 10.1.1).
const AskFor = time.Second

// ask sends the head of a request alone, and its body unless the server's answer to the head is final.
func (c *Client) ask(conn *conn, q *Request, left *int64) error {
	if _, err := conn.write(c.out); err != nil {
		return c.refused(conn, err)
	}
	conn.begin(conn.ctx, conn.last, min(AskFor, c.opts.FirstByte), "answer to the head")
	final, err := c.readHead(conn, false)
	var silent *TimeoutError
	switch {
	case errors.As(err, &silent):
	case err != nil:
		return err
	case final:
		c.Early = true
		return nil
	}
	return c.stream(conn, q, nil, left)
}
