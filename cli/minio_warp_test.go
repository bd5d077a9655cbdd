package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/cli/internal/usage"
	"warp/internal/testkit"
)

// benchmarksOfMinIOWarp are those that both have.
var benchmarksOfMinIOWarp = []string{"mixed", "get", "put", "delete", "list", "stat", "versioned", "retention", "multipart", "multipart-put", "append", "snowball", "zip", "fanout"}

// TestFlagsOfMinIOWarp holds all flags that MinIO warp documents against those that commands of the same name accept or answer.
// The table is not part of the project.
func TestFlagsOfMinIOWarp(t *testing.T) {
	text, err := os.ReadFile("../../shared/spec/semantics.md")
	if err != nil {
		t.Skip("the table of flags is not here:", err)
	}
	env, _ := testEnv(benchmarks()...)
	commands := map[string]*cli.Command{}
	for _, c := range root(&env).Commands {
		commands[c.Name] = c
	}
	rows := regexp.MustCompile("(?m)^\\| `--([^`]+)` \\| ([^|]+) \\|").FindAllStringSubmatch(string(text), -1)
	if len(rows) < 80 {
		t.Fatalf("the table has %d flags", len(rows))
	}
	for _, row := range rows {
		flag, of := row[1], strings.Split(strings.ReplaceAll(row[2], " ", ""), ",")
		for _, name := range append(slices.Clone(benchmarksOfMinIOWarp), usage.Others...) {
			if !slices.Contains(of, name) && !(slices.Contains(of, "B") && slices.Contains(benchmarksOfMinIOWarp, name)) {
				continue
			}
			has := slices.ContainsFunc(commands[name].Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), flag) })
			if !has {
				t.Errorf("%s --%s is neither accepted nor answered", name, flag)
			}
		}
	}
}

// minioWarpFlags are the flags of MinIO warp, hidden ones too. The flags of a line, behind its commands, are given all at once; all stands
// for the benchmarks. Behind a bar is a part of the error that refuses the flag here.
const minioWarpFlags = `
all no-color debug insecure tls noprefix obj.randsize autoterm noclear keep-data analyze.v full requests analyze.hostdetails encrypt http2
all json quiet q disable-http-keepalive resolve-host disable-multipart disable-sha256-payload sse-s3-encrypt host-select=roundrobin
all host=127.0.0.{1...3}:9000 access-key=a secret-key=b session-token=c
all region=r lookup=path signature=S3V2 bucket=bkt prefix=p storage-class=STANDARD rps-limit=5 sndbuf=32768 rcvbuf=32768
all concurrent=3 duration=1m autoterm.dur=15s autoterm.pct=7.5 syncstart=10:00 warp-client=c benchdata=x obj.generator=random
all influxdb=http://t@h:1/b/o serverprof=cpu,cpuio,mem,block,mutex,trace,threads add-metadata=k=v tag=k=v
all analyze.dur=1s analyze.out=x.csv analyze.op= analyze.host= analyze.skip=1s
all stress
all ktls | not supported
all rdma=cpu | not supported
all rdma.window=1MiB | not supported
all web | use --http
all serve=:1 | use --http
all stdout | zstd -dc
all autocompletion | warp completion bash
all analyze.limit=1 | use --analyze.skip
all analyze.offset=1 | use --analyze.skip
mixed,get,put,delete,list,stat,versioned,retention,multipart,multipart-put,append,zip,snowball checksum=CRC32 add-metadata=k=rand:10
mixed,get,put,delete,list,stat,versioned,retention,multipart,multipart-put,append,zip,snowball checksum=XXH3
mixed,get,put,delete,list,stat,versioned,retention,multipart,multipart-put,append,zip,snowball md5
fanout md5 | signs forms
fanout checksum=CRC32 | signs forms
fanout add-metadata=k=rand:10 | signs forms
mixed,get,delete,list,stat,versioned,retention objects=1000000
mixed,get,put,delete,list,stat,versioned,retention,zip,snowball,fanout,append obj.size=20KiB
mixed,versioned get-distrib=45 stat-distrib=30 put-distrib=15 delete-distrib=10
get range range-size=1KiB
get,list,stat,retention versions=2
get,delete,stat list-existing list-flat objects=0 force
put post
delete batch=10
list metadata max-keys=10
multipart,multipart-put,get,put,zip part.size=6MiB
multipart,multipart-put parts=3
multipart obj.name=x
multipart _upload-id=x | MinIO warp sets it
multipart _part-start=2 | MinIO warp sets it
multipart-put part.concurrent=2
zip files=10
snowball objs.per=5 compress
fanout copies=5
`

// TestEachFlagOfMinIOWarp: each of its flags is accepted, or refused with an alternative that its page has too.
func TestEachFlagOfMinIOWarp(t *testing.T) {
	testkit.SkipSerial(t)
	t.Parallel()
	page, err := os.ReadFile("../docs/guide/minio-warp.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.TrimSpace(minioWarpFlags)) {
		line, refused, isRefused := strings.Cut(strings.TrimSpace(line), " | ")
		words := strings.Fields(line)
		commands := strings.Split(words[0], ",")
		if words[0] == "all" {
			commands = benchmarksOfMinIOWarp
		}
		if name, _, _ := strings.Cut(words[1], "="); isRefused && !strings.Contains(string(page), "`--"+name+"`") {
			t.Errorf("docs/guide/minio-warp.md does not say what to use instead of --%s", name)
		}
		for _, command := range commands {
			args := []string{command, "--print-scenario", "--host=127.0.0.1:9000", "--access-key=a", "--secret-key=b"}
			for _, flag := range words[1:] {
				args = append(args, "--"+flag)
			}
			_, stderr, code := withVariables(t, nil, args...)
			if want := map[bool]int{false: process.ExitOK, true: process.ExitUsage}[isRefused]; code != want || !strings.Contains(stderr, refused) {
				t.Errorf("%s: exit code %d, want %d and %q in %s", strings.Join(args, " "), code, want, refused, stderr)
			}
		}
	}
}
