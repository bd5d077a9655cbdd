package cli

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"testing"

	"warp/cli/internal/process"
)

// TestLibraryLog: what net/http logs about a server that sends a response nobody asked for does not reach the terminal.
func TestLibraryLog(t *testing.T) {
	var said bytes.Buffer
	log.SetOutput(&said)
	defer log.SetOutput(os.Stderr)
	if code := Main(process.Env{Args: []string{"warp", "version"}, Stdout: io.Discard, Stderr: io.Discard}); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	idle, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		c, err := l.Accept()
		if err != nil {
			return
		}
		const response = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, response)
		<-idle
		_, _ = io.WriteString(c, response)
		_, _ = io.Copy(io.Discard, c) // until the client hangs up, which it does after it has logged
		_ = c.Close()
	}()
	client := http.Client{Transport: &http.Transport{}}
	resp, err := client.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	close(idle)
	<-over
	if said.Len() > 0 {
		t.Errorf("logged: %s", said.String())
	}
}
