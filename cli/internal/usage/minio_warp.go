package usage

import (
	"context"
	"slices"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/internal/option"
)

// foreignFlag is a flag of MinIO warp (https://github.com/minio/warp), or of other commands, that a command does not have under that name.
// Scripts run unchanged, or get one line that says what to use instead.
type foreignFlag struct {
	name     string
	commands []string // that have it; nil: the benchmarks
	valued   bool     // it has a value
	instead  string   // why it is refused, and what to use; empty: it changes nothing here
}

var reading = []string{"analyze", "cmp"}

// Others are the commands of MinIO warp that measure nothing.
var Others = []string{"analyze", "cmp", "merge", "client"}

const (
	printScript = `print the script to install with "warp completion bash" (or zsh, fish, pwsh)`
	noNumbers   = "operations of a recording cannot be chosen by number; use --analyze.skip"
	ownUpload   = "MinIO warp sets it for its clients; leave it out, and use --warp-client to run on several machines"
)

// foreignFlags are the flags of benchmarks, then of other commands.
var foreignFlags = []foreignFlag{
	{name: "full"}, // all operations are recorded
	{name: "autocompletion", instead: printScript},
	{name: "ktls", instead: "TLS in the kernel is not supported; use --tls alone"},
	{name: "rdma", valued: true, instead: "RDMA is not supported; measure over TCP without it"},
	{name: "rdma.window", valued: true, instead: "RDMA is not supported; measure over TCP without it"},
	{name: "web", instead: "use --http to serve a page, or --html for a file with charts, which needs no server"},
	{name: "serve", valued: true, instead: "use --http to serve a page, or --html for a file with charts, which needs no server"},
	{name: "stdout", instead: `standard output has the report; "zstd -dc" prints the operations of a recording`},
	{name: "analyze.limit", valued: true, instead: noNumbers},
	{name: "analyze.offset", valued: true, instead: noNumbers},
	{name: "_upload-id", commands: []string{"multipart"}, valued: true, instead: ownUpload},
	{name: "_part-start", commands: []string{"multipart"}, valued: true, instead: ownUpload},

	{name: "full", commands: Others},
	{name: "json", commands: []string{"client"}},                                   // it prints no report
	{name: "debug", commands: Others},                                              // they send no requests of their own
	{name: "insecure", commands: Others},                                           // a client takes it from its coordinator
	{name: "no-color", commands: []string{"client", "clean", "verify"}},            // they print without colours
	{name: "overwrite", commands: []string{"client", "clean", "verify", "doctor"}}, // they write no file that is there
	{name: "autocompletion", commands: Others, instead: printScript},
	{
		name: "web", commands: reading,
		instead: `use "warp analyze --http" to serve a page, or --html for a file with charts, which needs no server`,
	},
	{
		name: "serve", commands: reading, valued: true,
		instead: `use "warp analyze --http" to serve a page, or --html for a file with charts, which needs no server`,
	},
	{
		name: "analyze.out", commands: []string{"cmp"}, valued: true,
		instead: `a comparison has no time series; use "warp analyze --analyze.out=FILE" for each recording`,
	},
	{name: "analyze.limit", commands: reading, valued: true, instead: noNumbers},
	{name: "analyze.offset", commands: reading, valued: true, instead: noNumbers},

	{
		name: "access", commands: []string{"append"}, valued: true,
		instead: "each thread appends to an object of its own, whose length it must state",
	},
	{
		name: "access", commands: []string{"multipart-put", "snowball", "fanout"}, valued: true,
		instead: "every upload has new keys; put --objects=N overwrites objects in any order",
	},
	{name: "access", commands: []string{"head-bucket"}, valued: true, instead: "its requests are about no object"},
}

// foreignCommands are commands of MinIO warp that this warp does not have, and why.
var foreignCommands = map[string]string{
	"iceberg": "tables of Apache Iceberg are not measured; get, put, list and mixed measure the store below them",
}

// of reports whether a command has the flag.
func (f *foreignFlag) of(command string, benchmark bool) bool {
	return f.commands == nil && benchmark || slices.Contains(f.commands, command)
}

// Instead returns why a benchmark refuses a flag of MinIO warp, and what to use.
func Instead(command, flag string) (text string, refused bool) {
	for i := range foreignFlags {
		if f := &foreignFlags[i]; f.name == flag && f.of(command, true) {
			return f.instead, f.instead != ""
		}
	}
	return "", false
}

// AcceptMinIOWarpFlags adds to a command the flags of MinIO warp, which its help does not list.
func AcceptMinIOWarpFlags(c *cli.Command) {
	refused := make(map[string]string)
	for _, f := range foreignFlags {
		if !f.of(c.Name, Measures(c)) {
			continue
		}
		var sources cli.ValueSourceChain
		if f.commands != nil && f.instead != "" { // others have it, and a variable may set it for them
			sources = process.CommandLineOnly()
		}
		var flag cli.Flag = &cli.BoolFlag{Name: f.name, Sources: sources, Hidden: true}
		if f.valued {
			flag = &cli.StringFlag{Name: f.name, Sources: sources, Hidden: true}
		}
		c.Flags = append(c.Flags, flag)
		if f.instead != "" {
			refused[f.name] = f.instead
		}
	}
	if len(refused) == 0 {
		return
	}
	c.Before = func(ctx context.Context, c *cli.Command) (context.Context, error) {
		var errs []error
		for _, name := range c.LocalFlagNames() {
			if instead, ok := refused[name]; ok && c.Value(name) != false {
				errs = append(errs, option.Errorf(name, "%s", instead))
			}
		}
		return ctx, process.UsageErrors(errs...)
	}
}
