package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/s3"
)

// child is what this program does in processes of their own.
func child(args []string, out io.Writer) error {
	numbers := make([]int, len(args))
	for i, a := range args {
		numbers[i], _ = strconv.Atoi(a) // those that are none are not used as such
	}
	switch {
	case args[0] == "serve" && len(args) == 3:
		return serve(numbers[1], numbers[2], out)
	case args[0] == "writev" && len(args) == 4:
		return writevAll(args[1], numbers[2], numbers[3], out)
	case args[0] == "allocs" && len(args) == 5:
		return countAllocs(args[1], args[2], args[3], numbers[4], out)
	}
	return fmt.Errorf("%q is not known", args)
}

// serve serves until its input ends. For each line of it, it tells how many requests there were.
func serve(size, keep int, out io.Writer) error {
	r, err := responder.NewRaw("127.0.0.1:0", size, keep)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, r.Host())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Fprintln(out, r.Requests('G'), r.Requests('P'), r.Requests('H'), r.Requests('D'))
	}
	return r.Close()
}

// writevTime is how long writevAll goes on.
const writevTime = 3 * time.Second

// writevAll uploads over several connections at once for a while, and tells how many uploads there were.
func writevAll(host string, size, connections int, out io.Writer) error {
	var count atomic.Int64
	end := clock.Now().Add(writevTime)
	errs := make(chan error, connections)
	body := make([]byte, size)
	for range connections {
		go func() { errs <- writev(host, body, end, &count) }()
	}
	var err error
	for range connections {
		err = errors.Join(err, <-errs)
	}
	fmt.Fprintln(out, count.Load())
	return err
}

// writev uploads the same bytes again and again, with nothing around it.
func writev(host string, body []byte, end time.Time, count *atomic.Int64) error {
	c, err := net.Dial("tcp", host)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	head := fmt.Appendf(nil, "PUT /bucket/object HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", host, len(body))
	answer := make([]byte, 4096)
	for ; clock.Now().Before(end); count.Add(1) {
		both := net.Buffers{head, body}
		if _, err := both.WriteTo(c); err != nil {
			return err
		}
		if _, err := c.Read(answer); err != nil {
			return err
		}
	}
	return nil
}

// countAllocs performs operations and tells how often each of them allocated.
func countAllocs(host, engine, kind string, size int, out io.Writer) error {
	const count = 200
	store, err := s3.New(s3.Config{Hosts: []string{host}, Bucket: "bucket", AccessKey: "AK", SecretKey: "SK", Engine: engine})
	if err != nil {
		return err
	}
	defer store.Close()
	session, body := store.Session(0), bytes.NewReader(make([]byte, size))
	operations := map[string]func(context.Context, *s3.Call) error{
		"get": session.Get, "put": session.Put, "stat": session.Stat, "delete": session.Delete,
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var c s3.Call
	var before, after runtime.MemStats
	for i := range count + 1 {
		if i == 1 { // the first one connects
			runtime.ReadMemStats(&before)
		}
		c.Reset()
		c.Key, c.Size, c.Body = "prefix/object", int64(size), body
		if err := operations[kind](ctx, &c); err != nil {
			return err
		}
	}
	runtime.ReadMemStats(&after)
	_, err = fmt.Fprintf(out, "%.1f\n", float64(after.Mallocs-before.Mallocs)/count)
	return err
}
