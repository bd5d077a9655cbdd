package lean

import (
	"errors"

	"warp/pkg/s3/exchange"
)

// ask sends the head of a request alone, and its body unless the server's answer to the head is final.
func (c *Client) ask(conn *conn, q *exchange.Request, left *int64) error {
	if _, err := conn.write(c.out); err != nil {
		return c.refused(conn, err)
	}
	conn.begin(conn.ctx, conn.last, min(exchange.ContinueTimeout, c.opts.FirstByte), "answer to the head")
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
