package cli

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/pkg/op"
)

// s3Faker is a program with S3 servers on free ports, which it prints. Its second argument is their number, the first their fault:
//
//	third-head  503 to each third HEAD but the first ten, with which runs look at the bucket
//	slow        to each HEAD after ten milliseconds
//	stuck       not at all to downloads after the first fifty
//	redirect    with a redirect of each fourth HEAD to another server, which is printed too
//	plain       as they should
//	http2       as they should, over TLS with HTTP/2; their authority is in authority.pem
//	directory   as they should, with the directory bucket "logs--use1-az4--x-s3", whose sessions last five seconds
//	flip        with one wrong byte, number 100, in downloads of at least 1 KiB
func s3Faker() {
	rules := map[string]responder.Rule{
		"third-head": func(kind op.Kind, n uint64) (a responder.Fault) {
			if kind == op.Stat && n > 10 && n%3 == 0 {
				a.Status = http.StatusServiceUnavailable
			}
			return a
		},
		"slow": func(kind op.Kind, _ uint64) (a responder.Fault) {
			if kind == op.Stat {
				a.Delay = 10 * time.Millisecond
			}
			return a
		},
		"stuck": func(kind op.Kind, n uint64) (a responder.Fault) {
			if kind == op.Get && n >= 50 {
				a.Delay = 24 * time.Hour
			}
			return a
		},
		"full": func(kind op.Kind, n uint64) (a responder.Fault) {
			if kind == op.Put && n > 40 {
				a.Status, a.Code = 507, "XMinioStorageFull"
			}
			return a
		},
		"redirect": func(kind op.Kind, n uint64) (a responder.Fault) {
			if kind == op.Stat && n%4 == 0 {
				a.Status, a.Redirect = http.StatusTemporaryRedirect, forgetful()
			}
			return a
		},
		"plain":     func(op.Kind, uint64) (a responder.Fault) { return a },
		"http2":     func(op.Kind, uint64) (a responder.Fault) { return a },
		"directory": func(op.Kind, uint64) (a responder.Fault) { return a },
		"flip":      func(op.Kind, uint64) (a responder.Fault) { return a },
	}
	rule := rules[os.Args[1]]
	servers, err := strconv.Atoi(os.Args[2])
	if rule == nil || err != nil {
		fmt.Fprintln(os.Stderr, "s3faker: RULE NUMBER, not", os.Args[1:])
		os.Exit(process.ExitUsage)
	}
	options := responder.Options{Keep: true, Rule: rule}
	if os.Args[1] == "directory" {
		options.Buckets, options.SessionLife = []string{"logs--use1-az4--x-s3"}, 5*time.Second
		options.Keys = []responder.Key{{Access: "access", Secret: "secretsecret"}}
	}
	for i := range servers {
		s, err := responder.New(options)
		if err != nil {
			fmt.Fprintln(os.Stderr, "s3faker:", err)
			os.Exit(process.ExitFailed)
		}
		host := s.Host()
		switch os.Args[1] {
		case "flip":
			host = flipping(s)
		case "http2":
			secure := httptest.NewUnstartedServer(s)
			secure.EnableHTTP2 = true
			secure.StartTLS()
			text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
			if err := os.WriteFile("authority.pem", text, 0o600); err != nil {
				fmt.Fprintln(os.Stderr, "s3faker:", err)
				os.Exit(process.ExitFailed)
			}
			host = strings.TrimPrefix(secure.URL, "https://")
		}
		fmt.Printf("server %d: %s\n", i+1, host)
	}
	if os.Args[1] == "redirect" {
		fmt.Printf("elsewhere: %s\n", strings.TrimPrefix(forgetful(), "http://"))
	}
	fmt.Println("ready")
	select {} // until it is killed
}

// forgetful returns the URL of a server that has every object.
var forgetful = sync.OnceValue(func() string {
	s, err := responder.New(responder.Options{Forget: true, ObjectSize: 1000})
	if err != nil {
		fmt.Fprintln(os.Stderr, "s3faker:", err)
		os.Exit(process.ExitFailed)
	}
	return s.URL()
})

// flipping starts a server around another that spoils downloads.
func flipping(s http.Handler) (host string) {
	around := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w = &flippedWriter{ResponseWriter: w}
		}
		s.ServeHTTP(w, r)
	}))
	return strings.TrimPrefix(around.URL, "http://")
}

// flippedWriter flips a bit of byte 100 of a large answer.
type flippedWriter struct {
	http.ResponseWriter
	written int
}

const flippedByte = 100

func (f *flippedWriter) Write(b []byte) (int, error) {
	size, _ := strconv.Atoi(f.Header().Get("Content-Length"))
	if i := flippedByte - f.written; size >= 1024 && i >= 0 && i < len(b) {
		b = slices.Clone(b)
		b[i] ^= 1
	}
	n, err := f.ResponseWriter.Write(b)
	f.written += n
	return n, err
}
