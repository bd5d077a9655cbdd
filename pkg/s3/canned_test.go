package s3_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
)

// serveCanned makes this binary a server in the process that a benchmark starts: one port for each response of a list in
// a file of JSON.
const serveCanned = "WARP_TEST_SERVE_CANNED"

// runCanned prints the hosts, and serves until its input ends.
func runCanned(file string) error {
	list, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var responses []string
	if err := json.Unmarshal(list, &responses); err != nil {
		return err
	}
	for _, response := range responses {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go serveOne(c, []byte(response))
			}
		}()
		fmt.Print(l.Addr(), " ")
	}
	fmt.Println()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// serveOne responds to all requests of a connection in one way.
func serveOne(c net.Conn, response []byte) {
	defer func() { _ = c.Close() }()
	in, end, length := make([]byte, 64<<10), []byte("\r\n\r\n"), []byte("\r\nContent-Length: ")
	for {
		n, head := 0, -1
		for head < 0 {
			more, err := c.Read(in[n:])
			if err != nil {
				return
			}
			n += more
			head = bytes.Index(in[:n], end)
		}
		left := head + len(end) - n
		if _, text, found := bytes.Cut(in[:head], length); found {
			text, _, _ = bytes.Cut(text, end[:2])
			size, err := strconv.Atoi(string(text))
			if err != nil {
				return
			}
			left += size
		}
		for left > 0 {
			more, err := c.Read(in)
			if err != nil {
				return
			}
			left -= more
		}
		if _, err := c.Write(response); err != nil {
			return
		}
	}
}
