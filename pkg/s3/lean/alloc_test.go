//go:build !race

package lean

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"

	"warp/pkg/s3/exchange"
)

func TestNoAllocations(t *testing.T) {
	response := []byte("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nX-Amz-Request-Id: 1\r\n\r\n" + strings.Repeat("x", 100_000))
	s := serve(t, func(c net.Conn) { // it must not allocate either
		in := make([]byte, 64<<10)
		for {
			if n, err := c.Read(in); err != nil || !bytes.HasSuffix(in[:n], []byte("\r\n\r\n")) {
				return
			}
			if _, err := c.Write(response); err != nil {
				return
			}
		}
	})
	for _, k := range []exchange.Keys{
		{Access: "a", Secret: "s", Token: "t"},
		{Scheme: exchange.GOOG4, Access: "a", Secret: "s"},
		azureKeys,
		{Scheme: exchange.Bearer, Token: "t"},
	} {
		checkAllocations(t, newTestClient(t, s.addr, func(o *Options) { o.Keys, o.Region = keys(k), "r" }))
	}
}

func checkAllocations(t *testing.T, c *Client) {
	t.Helper()
	q := &exchange.Request{
		Method: "GET", Key: "dir/ü", Length: 100_000, Query: []exchange.Param{{Name: "versionId", Value: "a b"}},
		Headers: []exchange.Header{{Name: "X-Amz-Meta-A", Value: "b"}},
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	discardOne := func(ctx context.Context) {
		if err := c.Do(ctx, 0, q); err != nil {
			t.Error(err)
			return
		}
		if n, err := c.Discard(); n != 100_000 || err != nil {
			t.Error(n, err)
		}
		c.Finish()
	}
	perform(ctx, func(ctx context.Context) {
		once := func() { discardOne(ctx) }
		once()
		if n := testing.AllocsPerRun(200, once); n > 0 {
			t.Errorf("%.0f allocations for an exchange", n)
		}
	})
}
