package conformance

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"warp/pkg/s3/exchange"
)

// FuzzAnswers holds the engines against each other on whatever a server says to a request before it closes the connection: what both take
// for a whole response must be the same one. That one takes what the other refuses is left to the table.
func FuzzAnswers(f *testing.F) {
	for _, rows := range table {
		for i := range rows {
			f.Add(strings.Join(rows[i].pieces, ""))
		}
	}
	var text atomic.Value
	s := serve(f, false, func(_ *server, c *net.TCPConn) {
		if _, err := request(bufio.NewReader(c), c); err == nil {
			answer, _ := text.Load().(string)
			_, _ = io.WriteString(c, answer)
			_ = c.CloseWrite()
			_, _ = io.Copy(io.Discard, c)
		}
	})
	f.Fuzz(func(t *testing.T, answer string) {
		text.Store(answer)
		type whole struct {
			status int
			body   string
		}
		var got []whole
		for _, e := range engines {
			c, end := e.make(t, s)
			err := c.Do(t.Context(), 0, &exchange.Request{Method: "GET"})
			if err == nil {
				var body []byte
				if body, err = io.ReadAll(c); err == nil {
					got = append(got, whole{c.Result().Status, string(body)})
				}
				c.Finish()
			}
			end()
		}
		if len(got) == 2 && got[0] != got[1] {
			t.Errorf("lean %d %q, std %d %q", got[0].status, got[0].body, got[1].status, got[1].body)
		}
	})
}
