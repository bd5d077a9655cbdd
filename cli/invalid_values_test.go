package cli

import (
	"maps"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/usage"
	"warp/internal/responder"
	"warp/internal/secret"
)

// invalid is a value that a flag does not take.
type invalid struct {
	value string
	with  []string // other arguments that the flag needs
	not   []string // arguments of complete that it contradicts
	shown string   // what the error names of the value; empty: all of it
}

// gibberish is an invalid value of every flag that invalidValues does not list.
const gibberish = "!?*"

// control is a text that no header can hold.
const control = "a\x01b"

// invalidValues has an invalid value for each flag that accepts gibberish, or refuses it for another reason.
var invalidValues = map[string]invalid{
	"access-key":       {value: control},
	"secret-key":       {value: control},
	"session-token":    {value: control},
	"region":           {value: control, shown: "U+0001"},
	"if-match":         {value: control, shown: strconv.Quote(control)},
	"if-none-match":    {value: control, shown: strconv.Quote(control)},
	"sse-kms":          {value: control, shown: strconv.Quote(control)},
	"storage-class":    {value: control, shown: strconv.Quote(control)},
	"sts-web-token":    {value: control, not: []string{"--access-key=a", "--secret-key=b"}},
	"credentials-file": {value: "none.csv", not: []string{"--access-key=a", "--secret-key=b"}},

	"ca-file":         {value: "none.pem", with: []string{"--tls"}},
	"cert-file":       {value: "none.pem", with: []string{"--tls", "--key-file=test.warp.yaml"}},
	"key-file":        {value: "none.pem", with: []string{"--tls", "--cert-file=test.warp.yaml"}},
	"token-file":      {value: "none.txt", with: []string{toClients}},
	"tls-cert":        {value: "none.pem", with: []string{toClients, "--tls-key=test.warp.yaml"}},
	"tls-key":         {value: "none.pem", with: []string{toClients, "--tls-cert=test.warp.yaml"}},
	"tls-ca":          {value: "none.pem", with: []string{toClients}},
	"http-token-file": {value: "none.txt", with: []string{"--http=127.0.0.1:0"}},

	"benchdata":   {value: "none/name"},
	"html":        {value: "none/name"},
	"summary-md":  {value: "none/name"},
	"junit":       {value: "none/name"},
	"parquet":     {value: "none/name"},
	"out":         {value: "none/name"},
	"analyze.out": {value: "name.docx"},

	"names":  {value: gibberish, with: []string{"--out=new.trace"}},
	"before": {value: "none.csv", with: []string{"--after=b.csv.zst"}, not: []string{"a.csv.zst", "b.csv.zst"}},
	"after":  {value: "none.csv", with: []string{"--before=a.csv.zst"}, not: []string{"a.csv.zst", "b.csv.zst"}},
	"script": {value: gibberish, not: []string{"test.warp.yaml"}, shown: `"!"`},
}

// anyText are flags that take every text, and why.
var anyText = map[string]string{
	"prefix":             "keys of objects are any text",
	"query":              "the server parses it",
	"of-bucket":          "so are names of buckets in a trace; that it has no operation on one is said of the trace",
	"script":             "statements: an error shows its place in them; see pkg/script/convert/osb",
	"merge analyze.op":   "the merged file is right, whatever part of it the report is about",
	"merge analyze.host": "as --analyze.op",
}

// toClients makes a command one that has clients.
const toClients = "--warp-client=127.0.0.1:1"

// complete are arguments without which a command says what is missing.
func complete(command, flag, host string) []string {
	target := []string{"--host=" + host, "--access-key=a", "--secret-key=b"}
	switch command {
	case "search":
		return append(target, "--slo=p99<50ms")
	case "sweep":
		return append(target, "--over=buckets=1,2")
	case "run":
		return append(target, "test.warp.yaml")
	case "clean":
		if flag == "bucket" {
			return append(target, "--seed=1")
		}
		return append(target, "a.csv.zst")
	case "replay", "verify":
		return append(target, "a.csv.zst")
	case "analyze", "trace":
		return []string{"a.csv.zst"}
	case "cmp":
		return []string{"a.csv.zst", "b.csv.zst"}
	case "merge":
		return []string{"1.csv.zst", "2.csv.zst"}
	case "script":
		return []string{"test.warp.yaml"}
	case "client", "serve":
		return []string{host} // which is in use: neither waits
	}
	return target
}

// refusal tries a flag with a value that it does not take, and returns what is wrong with the answer.
func refusal(path []string, f cli.Flag, host string, v invalid) string {
	name := f.Names()[0]
	args := append(slices.Clone(path), "--"+name+"="+v.value)
	for _, arg := range v.with {
		if arg != toClients || path[0] != "client" {
			args = append(args, arg)
		}
	}
	for _, arg := range complete(path[0], name, host) {
		if !strings.HasPrefix(arg, "--"+name+"=") && !slices.Contains(v.not, arg) {
			args = append(args, arg)
		}
	}
	env, out := testEnv(args...)
	text := &strings.Builder{}
	env.Stderr = text
	code, line := Main(env), strings.TrimSuffix(text.String(), "\n")
	shown := v.value
	if v.shown != "" {
		shown = v.shown
	}
	begin, hidden := "warp: --"+name, secret.Flag(name)
	says := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) })
	}
	var faults []string
	for fault, is := range map[string]bool{
		"the exit code is " + strconv.Itoa(code):    code != process.ExitUsage,
		"there is something on standard output":     out.Len() > 0,
		"there is more than one line":               strings.Contains(line, "\n"),
		"the line does not begin with the flag":     !strings.HasPrefix(line, begin+":") && !strings.HasPrefix(line, begin+", --"),
		"the line does not name the value":          !hidden && !says(shown),
		"the line repeats a secret":                 hidden && says(v.value),
		"the line does not say what is wanted":      !says("want ", "no such file", "cannot find", "no operation in the recording is"),
		"the line is the parser's, not this tool's": says("flag -"),
		"completion does not offer these values":    offersOthers(f, line),
	} {
		if is {
			faults = append(faults, fault)
		}
	}
	if faults == nil {
		return ""
	}
	slices.Sort(faults)
	return "warp " + strings.Join(args, " ") + "\n  " + strings.Join(faults, "; ") + "\n  " + line
}

// wantedWords finds the values that an error wants, if these are words.
var wantedWords = regexp.MustCompile(`\(want ([\w.-]+(?:, [\w.-]+)* or [\w.-]+)\)$`)

// offersOthers reports whether an error wants a value of a flag that completion does not offer.
func offersOthers(f cli.Flag, line string) bool {
	m := wantedWords.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	values, _ := flags.Values(f)
	wanted := strings.Split(strings.Replace(m[1], " or ", ", ", 1), ", ")
	return slices.ContainsFunc(wanted, func(word string) bool { return !slices.Contains(values, word) })
}

// TestEveryFlagRefusesInvalidValues gives each flag of each command a value that it does not take: one line says so, before any
// request, and nothing is written.
func TestEveryFlagRefusesInvalidValues(t *testing.T) {
	t.Chdir(t.TempDir())
	writeInputs(t)
	before := filesHere(t)
	host, connections := listening(t)
	env, _ := testEnv(append(benchmarks(), "search", "sweep")...)
	tried := map[string]bool{}
	var walk func(c *cli.Command, path []string)
	walk = func(c *cli.Command, path []string) {
		for _, f := range c.Flags {
			name, typed := f.Names()[0], usage.ExpectedValue(f) != "" // the parser refuses values of types, in one way for all commands
			doc, ok := f.(usage.HelpFlag)
			if !ok || !doc.IsVisible() || name == "help" || anyText[name]+anyText[path[0]+" "+name] != "" {
				continue
			}
			family := path[0]
			if usage.Measures(c) || typed || testing.Short() { // then each flag is tried once
				family = "benchmark"
			}
			key := family + " " + name + " " + doc.GetUsage()
			if tried[key] {
				continue
			}
			tried[key] = true
			v, special := invalidValues[name]
			if !special || typed {
				v = invalid{value: gibberish}
			}
			if fault := refusal(path, f, host, v); fault != "" {
				t.Error(fault)
			}
		}
		for _, sub := range c.Commands {
			walk(sub, append(slices.Clone(path), sub.Name))
		}
	}
	for _, c := range root(&env).Commands {
		if c.Name != "completion" {
			walk(c, []string{c.Name})
		}
	}
	if len(tried) < 200 {
		t.Errorf("only %d flags were tried", len(tried))
	}
	if n := connections.Load(); n > 0 {
		t.Errorf("%d connections to the host", n)
	}
	if after := filesHere(t); !maps.Equal(before, after) {
		t.Errorf("files are %v (want %v)", after, before)
	}
}

// writeInputs writes a scenario, and recordings of runs and of clients.
func writeInputs(t *testing.T) {
	t.Helper()
	store, err := responder.New(responder.Options{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	for _, name := range []string{"a", "b"} {
		env, text := testEnv("put", "--host="+store.Host(), "--access-key=a", "--secret-key=b", "--ops=4", "--obj.size=1KiB", "--benchdata="+name)
		env.Stderr = text
		if code := Main(env); code != process.ExitOK {
			t.Fatalf("exit code %d\n%s", code, text)
		}
	}
	writeRecording(t, "1.csv.zst", "aaaa")
	writeRecording(t, "2.csv.zst", "bbbb")
	const text = "warp: 1\ndata:\n  pool: {objects: 5}\nphases:\n  - run: get\n    do: {get: pool}\n"
	if err := os.WriteFile("test.warp.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// listening returns a host that closes all connections, and counts them.
func listening(t *testing.T) (host string, connections *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	connections = new(atomic.Int64)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			_ = conn.Close()
		}
	}()
	return l.Addr().String(), connections
}

// filesHere returns the files of the working directory, with their sizes.
func filesHere(t *testing.T) map[string]int64 {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]int64{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = info.Size()
	}
	return files
}
