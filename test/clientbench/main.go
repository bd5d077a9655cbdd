// Command clientbench measures what warp itself costs: it runs the warp binary, recording on, against a server in another
// process that responds at once, and reads from the system how much CPU time that took. Next to it stand warp with its std
// engine, wrk (which signs and records nothing), other HTTP clients, and bare connections that move the same bytes.
//
//	go run ./test/clientbench -warp ./warp [-duration 5s] [-concurrent 20] [-rounds 1] [-only plain,azure,gcs,tls,single,views,reference]
//
// The part "reference" compares warp with a client in C, whose single thread does the least that is possible; it needs a C compiler
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/responder"
)

const (
	small = 4 << 10
	large = 10 << 20
)

// methods are the HTTP methods of the kinds of operations.
var methods = map[string]string{"get": "GET", "put": "PUT", "stat": "HEAD", "delete": "DELETE"}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "clientbench:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 2 && !strings.HasPrefix(args[0], "-") {
		return child(args[0], []byte(args[1]), out)
	}
	b := bench{out: out, rows: map[rowKey]row{}, reference: referenceRounds{}}
	fs := flag.NewFlagSet("clientbench", flag.ContinueOnError)
	fs.StringVar(&b.warp, "warp", "./warp", "the `binary` to measure")
	fs.DurationVar(&b.duration, "duration", 5*time.Second, "`duration` of each measurement")
	fs.IntVar(&b.concurrent, "concurrent", 20, "`number` of connections")
	rounds := fs.Int("rounds", 1, "`number` of times to measure everything, by turns; the lowest CPU time of each counts")
	only := fs.String("only", "plain,azure,gcs,tls,single", "`parts` to measure")
	loads := fs.String("rates", "0,5000,20000", "`rates` of the part \"reference\", 0 for a closed loop")
	fs.BoolVar(&b.realtime, "realtime", false, "the client in C, and the loops of warp, have a real-time priority in the part \"reference\"")
	if err := fs.Parse(args); err != nil {
		return err
	}
	var err error
	if b.loads, err = parseLoads(*loads); err != nil {
		return fmt.Errorf("-rates: %w", err)
	}
	dir, err := os.MkdirTemp("", "clientbench")
	if err != nil {
		return err
	}
	b.dir = dir
	for range *rounds {
		err = errors.Join(err, b.all(strings.Split(*only, ",")))
	}
	if err == nil {
		if len(b.rows) > 0 {
			b.print()
		}
		b.views.print(out)
		b.reference.print(out, b.loads)
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// child is what this program does in processes of its own.
func child(what string, args []byte, out io.Writer) error {
	switch what {
	case "serve":
		var a serveArgs
		return errors.Join(json.Unmarshal(args, &a), serve(a, out))
	case "loop":
		var a loopArgs
		if err := json.Unmarshal(args, &a); err != nil {
			return err
		}
		return loop(a, out)
	}
	return fmt.Errorf("unknown command %q", what)
}

// self is this program in another process.
func self(what string, args any) *exec.Cmd {
	text, _ := json.Marshal(args) // structs of numbers and texts
	return exec.Command(os.Args[0], what, string(text))
}

// bench is one run of all measurements.
type bench struct {
	out        io.Writer
	warp, dir  string
	duration   time.Duration
	concurrent int
	order      []rowKey
	rows       map[rowKey]row
	views      viewRounds
	loads      []loadCase // of reference
	realtime   bool       // reference and loops
	reference  referenceRounds
}

func (b *bench) all(parts []string) error {
	for _, p := range []struct {
		part    string
		server  serveArgs
		measure func(*server, int) error
	}{
		{"plain", serveArgs{Size: small, Keep: responder.RawSmall}, b.engines},
		{"plain", serveArgs{Size: large, Keep: responder.RawSmall}, b.engines},
		{"plain", serveArgs{Size: large, Keep: large}, b.verified},
		{"azure", serveArgs{Size: small, Keep: responder.RawSmall}, b.stores("azure")},
		{"azure", serveArgs{Size: large, Keep: responder.RawSmall}, b.stores("azure")},
		{"gcs", serveArgs{Size: small, Keep: responder.RawSmall}, b.stores("gcs", "gcs by XML")},
		{"gcs", serveArgs{Size: large, Keep: responder.RawSmall}, b.stores("gcs", "gcs by XML")},
		{"tls", serveArgs{Size: small, Keep: responder.RawSmall, TLS: true}, b.engines},
		{"tls", serveArgs{Size: large, Keep: responder.RawSmall, TLS: true}, b.engines},
		{"single", serveArgs{Size: small, Keep: responder.RawSmall}, b.single},
		{"reference", serveArgs{Size: small, Keep: responder.RawSmall}, b.references},
		{"views", serveArgs{Size: small, Keep: responder.RawSmall}, func(s *server, size int) error { return b.views.measure(b, s, size) }},
	} {
		if !slices.Contains(parts, p.part) {
			continue
		}
		s, err := startServer(p.server)
		if err != nil {
			return err
		}
		if err := errors.Join(p.measure(s, p.server.Size), s.stop()); err != nil {
			return err
		}
	}
	return nil
}

// references measures warp and the client in C.
func (b *bench) references(s *server, size int) error { return b.reference.measure(b, s, size) }

// engines measures both engines and what they are compared with.
func (b *bench) engines(s *server, size int) error {
	kinds := []string{"put", "get", "stat", "delete"}
	if size == large || s.tls {
		kinds = kinds[:2]
	}
	var err error
	for _, engine := range []string{"lean", "std"} {
		for _, kind := range kinds {
			err = errors.Join(err, b.measureWarp(s, warpArgs{engine: engine, kind: kind, contents: "zero", size: size, connections: b.concurrent}))
		}
	}
	if size == large && !s.tls {
		err = errors.Join(err, b.measureWarp(s, warpArgs{engine: "lean", kind: "put", contents: "random", size: size, connections: b.concurrent}))
	}
	if size == large || s.tls {
		err = errors.Join(err, b.measureLoop(s, "bare", "get", size, b.concurrent), b.measureLoop(s, "bare", "put", size, b.concurrent))
	}
	if size == small || s.tls {
		err = errors.Join(err, b.measureLoop(s, "lean", "get", size, b.concurrent), b.measureLoop(s, "lean", "put", size, b.concurrent))
	}
	return errors.Join(err, b.measureWrk(s, size, b.concurrent))
}

// storeFlags are the flags of kinds of stores: each has its own way to prove who asks.
var storeFlags = map[string][]string{
	"":           {"--access-key=AK", "--secret-key=SK"},
	"azure":      {"--store=azure", "--access-key=account", "--secret-key=a2V5"},
	"gcs":        {"--store=gcs", "--token=token"},
	"gcs by XML": {"--store=gcs", "--access-key=AK", "--secret-key=SK"},
}

// stores returns what measures the lean engine with requests of other kinds of stores.
func (b *bench) stores(names ...string) func(*server, int) error {
	return func(s *server, size int) (err error) {
		kinds := []string{"put", "get", "stat", "delete"}
		if size == large {
			kinds = kinds[:2]
		}
		for _, kind := range kinds {
			for _, name := range names {
				a := warpArgs{engine: "lean", store: name, kind: kind, contents: "zero", size: size, connections: b.concurrent}
				err = errors.Join(err, b.measureWarp(s, a))
			}
		}
		return err
	}
}

// verified measures downloads with every byte compared with the upload.
func (b *bench) verified(s *server, size int) error {
	return b.measureWarp(s, warpArgs{
		engine: "lean", kind: "get", contents: "random", size: size, connections: b.concurrent, more: "--verify",
	})
}

// single measures requests over one connection: warp as a whole, its engines alone, and other clients.
func (b *bench) single(s *server, size int) error {
	err := errors.Join(b.measureWrk(s, size, 1),
		b.measureWarp(s, warpArgs{engine: "lean", kind: "put", contents: "zero", size: size, connections: 1}),
		b.measureWarp(s, warpArgs{engine: "lean", kind: "get", contents: "zero", size: size, connections: 1}))
	for _, client := range []string{"lean", "bare", "fasthttp", "net/http", "net/http+signer", "std"} {
		err = errors.Join(err, b.measureLoop(s, client, "get", size, 1))
	}
	return err
}

// warpArgs say how to run warp.
type warpArgs struct {
	engine, kind, contents string
	size, connections      int
	store                  string // of another kind than S3
	more                   string // another flag
}

func (a *warpArgs) flags(s *server, b *bench) []string {
	host := s.host
	if a.store == "azure" {
		host += "/account"
	}
	flags := []string{
		a.kind, "--host=" + host, "--engine=" + a.engine, "--obj.generator=" + a.contents,
		fmt.Sprintf("--obj.size=%d", a.size), fmt.Sprintf("--concurrent=%d", a.connections), "--duration=" + b.duration.String(),
		"--quiet", "--force", "--overwrite", "--benchdata=" + filepath.Join(b.dir, "recording"),
	}
	flags = append(flags, storeFlags[a.store]...)
	if a.store != "" && a.kind == "put" {
		flags = append(flags, "--keep-data") // the server has no batches
	}
	switch a.kind {
	case "get", "stat":
		flags = append(flags, fmt.Sprintf("--objects=%d", a.connections))
	case "delete":
		flags = append(flags, "--batch=1", fmt.Sprintf("--objects=%d", int(b.duration.Seconds()*40_000)))
	}
	if s.tls {
		flags = append(flags, "--tls", "--insecure")
	}
	if a.more != "" {
		flags = append(flags, a.more)
	}
	return flags
}

// environment returns the environment of warp.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "AWS_CA_BUNDLE=") }) // 200 KiB to parse
}

// measureWarp runs warp.
func (b *bench) measureWarp(s *server, a warpArgs) error {
	flags := a.flags(s, b)
	cmd := exec.Command(b.warp, flags...)
	cmd.Env = environment()
	kind := a.kind
	if kind == "stat" && a.store == "gcs" {
		kind = "get" // its JSON interface has no HEAD
	}
	ops, puts, used, elapsed, err := measure(s, kind, cmd)
	if err != nil {
		return fmt.Errorf("warp %s: %w", strings.Join(flags, " "), err)
	}
	k := rowKey{operation: operation(a.kind, a.size), by: a.engine, tls: s.tls, single: a.connections == 1}
	if a.store != "" {
		k.by += ", " + a.store
	}
	put := k
	put.operation = operation("put", a.size)
	if a.contents != "zero" {
		put.operation += " " + a.contents
		if k.operation += " " + a.more; a.more == "" {
			k = put
		}
	}
	seconds := b.duration.Seconds()
	if a.kind == "delete" { // it ends when nothing is left to delete, and most of its time went into making that
		seconds = elapsed.Seconds()
	}
	r := row{cpu: used / ops, rate: ops / seconds}
	if a.kind != "put" {
		r.uploads, r.upload = puts/ops, put
	}
	if a.store != "" {
		r.allocs = -1
		b.add(k, r)
		return nil
	}
	text, err := self("loop", loopArgs{Client: a.engine, Host: s.host, TLS: s.tls, Kind: a.kind, Size: a.size, Connections: 1}).Output()
	if err == nil {
		_, err = fmt.Sscan(string(text), &r.allocs)
	}
	b.add(k, r)
	return err
}

// measureLoop runs one of clients.
func (b *bench) measureLoop(s *server, client, kind string, size, connections int) error {
	ops, _, used, _, err := measure(s, kind, self("loop", loopArgs{
		Client: client, Host: s.host, TLS: s.tls, Kind: kind, Size: size, Connections: connections, Duration: b.duration,
	}))
	k := rowKey{operation: operation(kind, size), by: client, tls: s.tls, single: connections == 1}
	if client == "lean" || client == "std" {
		k.by += " alone"
	}
	b.add(k, row{cpu: used / ops, rate: ops / b.duration.Seconds(), allocs: -1})
	return err
}

func (b *bench) measureWrk(s *server, size, connections int) error {
	if _, err := exec.LookPath("wrk"); err != nil {
		fmt.Fprintln(b.out, "wrk is not installed; it is left out")
		return nil
	}
	scheme := map[bool]string{false: "http", true: "https"}[s.tls]
	ops, _, used, _, err := measure(s, "get", exec.Command("wrk", "-t1", fmt.Sprintf("-c%d", connections),
		fmt.Sprintf("-d%ds", max(1, int(b.duration.Seconds()))), scheme+"://"+s.host+"/bucket/object"))
	k := rowKey{operation: operation("get", size), by: "wrk", tls: s.tls, single: connections == 1}
	b.add(k, row{cpu: used / ops, rate: ops / b.duration.Seconds(), allocs: -1})
	return err
}

func operation(kind string, size int) string {
	if size == large {
		return strings.ToUpper(kind) + " 10 MiB"
	}
	return strings.ToUpper(kind) + " 4 KiB"
}
