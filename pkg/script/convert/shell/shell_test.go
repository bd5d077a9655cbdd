package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tools are the programs that tests know.
func tools(name string) bool {
	switch name {
	case "hsbench", "s3bench", "fio", "elbencho", "ycsb", "warp", javaTool:
		return true
	}
	return false
}

// performed is what a script did in a test.
type performed struct {
	mu     sync.Mutex
	lines  []string // command lines, by @ with machines
	out    string
	err    error
	result *Result
	read   map[string]string // files that command lines read
}

// run performs a command line.
func (p *performed) run(_ context.Context, l *Line) error {
	text := l.String()
	if len(l.Machines) > 0 {
		text += " @" + strings.Join(l.Machines, ",")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, text)
	_, _ = fmt.Fprintf(l.Stdout, "result of %s\n", l.Program)
	for _, a := range l.Args {
		switch {
		case a.Text == "FAIL":
			return ExitStatus(3)
		case a.Text == "END":
			return ErrEnd
		case strings.HasSuffix(a.Text, ".fio"):
			var err error
			if p.read[a.Text], err = l.ReadFile(a.Text); err != nil {
				return err
			}
		}
	}
	return nil
}

// perform runs a script in a directory; vars are the user's.
func perform(t *testing.T, text, dir string, check bool, vars map[string]string, args ...string) *performed {
	t.Helper()
	var out bytes.Buffer
	p := &performed{read: map[string]string{}}
	sc, err := Parse("x.sh", text)
	if err != nil {
		p.err = err
		return p
	}
	p.result, p.err = sc.Run(t.Context(), &World{
		Args:     args,
		Dir:      dir,
		Check:    check,
		Known:    tools,
		Variable: func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		Secret:   func(name string) bool { return strings.HasPrefix(name, "AWS_") },
		Access: func(path string, _ bool) error {
			if !strings.HasPrefix(path, dir+"/") {
				return fmt.Errorf("%s is outside", path)
			}
			return nil
		},
		Run:    p.run,
		Stdout: &out,
		Stderr: &out,
	})
	p.out = out.String()
	return p
}

// TestTwelve: the twelve scripts that stand for those that people have.
func TestTwelve(t *testing.T) {
	host := hostname()
	for _, tc := range []struct {
		name, text string
		vars       map[string]string
		want       string
	}{
		{
			"1", `for s in 4K 64K 1M; do hsbench -a $AK -s $SK -u $URL -z $s -t 16 -d 30 -m cxipgdx -o $s.csv; done`,
			map[string]string{"AK": "a", "SK": "s", "URL": "http://h:1"},
			"hsbench -a a -s s -u http://h:1 -z 4K -t 16 -d 30 -m cxipgdx -o 4K.csv\n" +
				"hsbench -a a -s s -u http://h:1 -z 64K -t 16 -d 30 -m cxipgdx -o 64K.csv\n" +
				"hsbench -a a -s s -u http://h:1 -z 1M -t 16 -d 30 -m cxipgdx -o 1M.csv",
		},
		{
			"2", `for t in 1 8 64; do s3bench -endpoint=$EP -bucket=b -objectNamePrefix=lg -numClients=$t -objectSize=$((1<<20)) | tee t$t.log; done`,
			map[string]string{"EP": "http://h:1"},
			"s3bench -endpoint=http://h:1 -bucket=b -objectNamePrefix=lg -numClients=1 -objectSize=1048576\n" +
				"s3bench -endpoint=http://h:1 -bucket=b -objectNamePrefix=lg -numClients=8 -objectSize=1048576\n" +
				"s3bench -endpoint=http://h:1 -bucket=b -objectNamePrefix=lg -numClients=64 -objectSize=1048576",
		},
		{
			"3", "hsbench -m cxi -b 2\nhsbench -m p -n 1000\nhsbench -m g -d 60\nhsbench -m dx", nil,
			"hsbench -m cxi -b 2\nhsbench -m p -n 1000\nhsbench -m g -d 60\nhsbench -m dx",
		},
		{
			"4", `clush -w n[1-4] "s3bench -accessKey k -bucket \$(hostname)-b -endpoint $(echo http://10.0.3.{1..8}, | tr -d ' ' | sed 's/,$//') ` +
				`-objectSize \$((100*1024*1024)) -operations both"`,
			nil, "s3bench -accessKey k -bucket " + host + "-b -endpoint http://10.0.3.1,http://10.0.3.2,http://10.0.3.3,http://10.0.3.4," +
				"http://10.0.3.5,http://10.0.3.6,http://10.0.3.7,http://10.0.3.8 -objectSize 104857600 -operations both @n1,n2,n3,n4",
		},
		{
			"5", "pdsh -w h1,h2 /opt/elbencho/elbencho --s3endpoints http://gw:80 -w -t 32 -n 0 -N 100 -s 4m -b 4m bkt", nil,
			"elbencho --s3endpoints http://gw:80 -w -t 32 -n 0 -N 100 -s 4m -b 4m bkt @h1,h2",
		},
		{
			"6", `LOG=run-$(hostname -s)-$(date +%F-%H%M).txt; warp put --host=$H --obj.size=4KiB --duration=1m > $LOG 2>&1`,
			map[string]string{"H": "h:1"},
			"warp put --host=h:1 --obj.size=4KiB --duration=1m",
		},
		{
			"7", `S=(4k 8m); for ((i=0;i<${#S[@]};i++)); do elbencho --s3endpoints $EP -d -w -r -F -t 8 -N 50 -s ${S[i]} -b ${S[i]} b$i; done`,
			map[string]string{"EP": "http://h:1"},
			"elbencho --s3endpoints http://h:1 -d -w -r -F -t 8 -N 50 -s 4k -b 4k b0\n" +
				"elbencho --s3endpoints http://h:1 -d -w -r -F -t 8 -N 50 -s 8m -b 8m b1",
		},
		{"8", "BS=4\ncat > j.fio <<EOF\n[global]\nbs=${BS}M\nEOF\nfio j.fio --output r.txt", nil, "fio j.fio --output r.txt"},
		{
			"9", "ycsb load s3 -P workloada -p table=b -threads 16\nycsb run s3 -P workloada -p table=b -threads 16 -target 500", nil,
			"ycsb load s3 -P workloada -p table=b -threads 16\nycsb run s3 -P workloada -p table=b -threads 16 -target 500",
		},
		{
			"10", `java -jar osb.jar --base-uri=http://h:9000 --bucket=b --script='PUT 10 OBJECTS; DELETE;'`, nil,
			`object-store-bench --base-uri=http://h:9000 --bucket=b '--script=PUT 10 OBJECTS; DELETE;'`,
		},
		{
			"12", "for r in $(seq 2); do for o in put get; do warp $o --host $H --benchdata r-$o-$r --noclear; done; done; aws s3 rm --recursive s3://b",
			map[string]string{"H": "h:1"},
			"warp put --host h:1 --benchdata r-put-1 --noclear\nwarp get --host h:1 --benchdata r-get-1 --noclear\n" +
				"warp put --host h:1 --benchdata r-put-2 --noclear\nwarp get --host h:1 --benchdata r-get-2 --noclear",
		},
	} {
		for _, check := range []bool{true, false} {
			dir := t.TempDir()
			p := perform(t, tc.text, dir, check, tc.vars)
			if got := strings.Join(p.lines, "\n"); p.err != nil || got != tc.want {
				t.Errorf("%s: %v\n%s\nwant\n%s", tc.name, p.err, got, tc.want)
				continue
			}
			entries, err := os.ReadDir(dir)
			if err != nil || check && len(entries) > 0 {
				t.Errorf("%s: %v %v", tc.name, entries, err)
			}
			t.Log(tc.name, check, entries, p.read, p.result.LeftOut, p.result.Remarks, p.out)
		}
	}
}

// TestBackground: commands in the background run at the same time as others, until all have ended.
func TestBackground(t *testing.T) {
	for _, text := range []string{
		"echo 3 > /proc/sys/vm/drop_caches; sleep 0.01; hsbench -m g -op a_ & hsbench -m p -op b_ & wait; warp analyze",
		"(hsbench -m g &); hsbench -m p; warp analyze", "hsbench -m g & hsbench -m p",
	} {
		p := perform(t, text, t.TempDir(), false, nil)
		if p.err != nil || len(p.lines) < 2 {
			t.Errorf("%s: %q, %v", text, p.lines, p.err)
			continue
		}
		t.Log(p.lines, p.result.LeftOut)
	}
}

// TestUnknownValues: what is not known is an error only where it matters, and all variables without a value are named at once.
func TestUnknownValues(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{
			"hsbench -a $AK -s $SK -u $URL\nhsbench -z $S",
			"x.sh:1:12: no value for AK, SK, URL, S (set each with --var NAME=VALUE, or add --allow=env:AK,env:SK,env:URL,env:S",
		},
		{"X=$(curl http://h); hsbench -z 4K", ""},
		{"X=$(curl http://h); hsbench -z $X", "x.sh:1:32: the output of curl is not known; nothing but"},
		{"hsbench -z $1 -n $2", "no value for $1, $2 (write the script's arguments behind the file: FILE -- ARGS)"},
		{"hsbench -z ${S:-4K} -u ${URL-x}", ""},
		{"if [ -n \"$DEBUG\" ]; then set -x; fi; [[ -z $V ]] && hsbench -z 4K", ""},
		{"hsbench -z $((N*1024))", "no value for N"},
		{"for ((i=0;i<N;i++)); do hsbench; done", "no value for N"},
		{"hsbench -z ${SIZE,,}", "no value for SIZE"},
		{"hsbench -a $AWS_ACCESS_KEY_ID", ""},
		{"hsbench -u http://$AWS_ACCESS_KEY_ID/", "the value of ${AWS_ACCESS_KEY_ID} is secret"},
		{"if [ $(curl -s h) = 200 ]; then hsbench; fi", "a test of what is not known: $(curl)"},
		{"cat > j.fio <<EOF\nbs=$NONE\nEOF\nfio j.fio", "no value for NONE"},
		{"cat > j.fio <<EOF\nkey=$AWS_SECRET_ACCESS_KEY\nEOF\nfio j.fio", ""},
		{"hsbench <(echo x)", "the output of <(echo x) is not known"},
		{"hsbench > >(tee log)", ""},
		{"while true; do hsbench; done", ""},
		{"while true; do :; done", "comes to no command line"},
		{"f() { f; }; f", "comes to no command line"},
		{"hsbench > $OUT.txt", "no value for OUT"},
		{"hsbench > /tmp/out.txt", "/tmp/out.txt is outside"},
		{"hsbench | tee /tmp/out.txt", "/tmp/out.txt is outside"},
		{"hsbench -n $(cat missing.txt)", "the output of cat missing.txt: no such file or directory is not known"},
		{"hsbench {1..999999999}", "{1..999999999} has too many words"},
		{"hsbench \"", "x.sh:1:9: reached EOF"},
		{"echo 'hsbench -z $NONE' > f.sh; . ./f.sh", "x.sh:1:33: no value for NONE"},
		{"eval 'hsbench -z $NONE'", "x.sh:1:1: no value for NONE"},
		{"echo 'while ((1)); do ((i++)); done' > f.sh; . ./f.sh", "comes to no command line"},
		{"echo 'hsbench <(x)' > f.sh; source f.sh", "the output of "},
		{"$(curl x) -z 4", "the output of curl x is not known"},
		{"seq 3 | xargs hsbench -n", "hsbench behind xargs is not understood"},
	} {
		p := perform(t, tc.text, t.TempDir(), true, nil)
		switch {
		case tc.want == "" && p.err != nil || tc.want != "" && p.err == nil:
			t.Errorf("%s: %v, want %q", tc.text, p.err, tc.want)
		case p.err != nil && !strings.Contains(p.err.Error(), tc.want):
			t.Errorf("%s: %v\nwant %s", tc.text, p.err, tc.want)
		}
	}
}

// TestExit: how scripts end.
func TestExit(t *testing.T) {
	for _, tc := range []struct {
		text        string
		lines, code int
		err         error
	}{
		{"hsbench FAIL; hsbench", 2, 0, nil},
		{"set -e; hsbench FAIL; hsbench", 1, 3, nil},
		{"set -e; hsbench FAIL | tee log; hsbench", 2, 0, nil},
		{"set -eo pipefail; hsbench FAIL | tee log; hsbench", 1, 3, nil},
		{"hsbench END; hsbench", 1, 1, ErrEnd},
		{"hsbench END & wait; hsbench", 1, 1, ErrEnd},
		{"if hsbench FAIL; then :; else hsbench -n 2; fi; exit 5", 2, 5, nil},
	} {
		p := perform(t, tc.text, t.TempDir(), false, nil)
		if len(p.lines) != tc.lines || !errors.Is(p.err, tc.err) || tc.err == nil && p.result.Code != tc.code {
			t.Errorf("%s: %q, exit %d, %v", tc.text, p.lines, p.result.Code, p.err)
		}
	}
}

// TestFilesOfOthers: what is not executed empties no file; what is computed does.
func TestFilesOfOthers(t *testing.T) {
	dir := t.TempDir()
	kept, emptied := filepath.Join(dir, "kept"), filepath.Join(dir, "emptied")
	for _, name := range []string{kept, emptied} {
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := perform(t, "aws s3 ls > kept; : > emptied; aws s3 ls >> kept; hsbench; aws s3 ls > none", dir, false, nil)
	text, err := os.ReadFile(kept)
	empty, _ := os.ReadFile(emptied)
	if _, missing := os.Stat(filepath.Join(dir, "none")); p.err != nil || err != nil || string(text) != "old" || len(empty) > 0 || missing == nil {
		t.Errorf("%v, %v: %q, %q, %v", p.err, err, text, empty, missing)
	}
}

// TestComputed: programs that are computed print what they would print.
func TestComputed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sizes.txt"), []byte("4K 16\n1M 8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range [][2]string{
		{"echo $(seq 3)", "1 2 3\n"},
		{"seq -w 8 10", "08\n09\n10\n"},
		{"seq -s, 1 2 7", "1,3,5,7\n"},
		{"seq 1 .5 2", "1.0\n1.5\n2.0\n"},
		{"echo 64KB | tr -d KB", "64\n"},
		{"echo AbC | tr A-Z a-z", "abc\n"},
		{"echo a,b | tr , '\\n'", "a\nb\n"},
		{"echo aab | tr -s a", "ab\n"},
		{"echo abc | tr -cd ab", "ab"},
		{"echo a:b:c | cut -d: -f2", "b\n"},
		{"echo a:b:c | cut -d : -f 2-", "b:c\n"},
		{"echo hello | cut -c1-3", "hel\n"},
		{"echo http://h:9/x | sed 's#http://##; s/:9.*//'", "h\n"},
		{"echo abc | sed -E 's/(a)(b)/\\2\\1/'", "bac\n"},
		{"echo a+b | sed 's/+/-/g'", "a-b\n"},
		{"echo 'x y' | sed 's/\\(x\\) y/[\\1&]/'", "[xx y]\n"},
		{"echo aXa | sed -e s/a/b/ -e s/X/Y/", "bYa\n"},
		{"basename /a/b.sh .sh", "b\n"},
		{"dirname /a/b.sh", "/a\n"},
		{"head -1 sizes.txt", "4K 16\n"},
		{"tail -n 1 sizes.txt", "1M 8\n"},
		{"awk '{print $1}' sizes.txt", "4K\n1M\n"},
		{"awk '{print $2, $1}' sizes.txt", "16 4K\n8 1M\n"},
		{"echo a:b | awk -F: '{print $2}'", "b\n"},
		{"wc -l < sizes.txt", "2\n"},
		{"sort -r sizes.txt", "4K 16\n1M 8\n"},
		{"printf '%s-%d\\n' a 3", "a-3\n"},
		{"expr 3 + 4", "7\n"},
		{"s=64K; echo $((${s%K}*1024))", "65536\n"},
		{"s=64K; echo $((${s/K/0}+1))", "641\n"},
		{"echo '4*1024' | bc", "4096\n"},
		{"expr 3 '*' 4", "12\n"},
		{"date +%%", "%\n"},
		{"date -u +%Z", "UTC\n"},
		{"echo \"$1-$#-$@\"", "p-2-p q\n"},
		{"while read s t; do echo $t $s; done < sizes.txt", "16 4K\n8 1M\n"},
		{"x=$(< sizes.txt); echo \"${x%% *}\"", "4K\n"},
		{"echo $0", "x.sh\n"},
		{"cat > f.txt <<EOF\n$1\nEOF\ncat f.txt", "p\n"},
		{"cat > /tmp/none/f.txt <<EOF\n$1\nEOF\ncat /tmp/none/f.txt; rm /tmp/none/f.txt", "p\n"},
		{"echo a > g; echo b >> g; cat g", "a\nb\n"},
		{"mkdir -p d/e; echo x > d/e/f; cat d/*/f", "x\n"},
		{"cd $(dirname ${BASH_SOURCE[0]}) && echo ok", "ok\n"},
		{"eval echo '$1'", "p\n"},
		{"bash -c 'echo $1' a b", "b\n"},
		{"sh -c \"echo $1\"", "p\n"},
		{"f() { local n=$1; echo $n; }; f 7", "7\n"},
		{"hsbench | grep x", "result of hsbench\n"},
		{"command -v hsbench && [ -x ./hsbench ] && echo there", "hsbench\nthere\n"},
		{"echo $UNSET.", "${UNSET}.\n"},
		{"echo \"$(curl x).\"", "$(curl x).\n"},
		{"hsbench | tee r.log; cat r.log", "result of hsbench\nresult of hsbench\n"},
		{"hsbench > r2.log 2>&1; cat r2.log", "result of hsbench\n"},
		{"sudo nice -n 5 numactl -N 0 -m 0 env A=b time timeout 5m hsbench -n 1", "result of hsbench\n"},
		{"cat <<'EOF' > q\n$x\nEOF\ncat q", "$x\n"},
		{"yes | hsbench", "result of hsbench\n"},
		{"docker run --rm -e A=b minio/warp:latest put --host h", "result of warp\n"},
	} {
		text, want := tc[0], tc[1]
		p := perform(t, text, dir, false, nil, "p", "q")
		if p.err != nil || p.out != want {
			t.Errorf("%s: %q, %v (want %q)", text, p.out, p.err, want)
		}
	}
}

// TestMentions: what is no script is known without parsing it, and every script is parsed.
func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{
		"warp get": true, "x=1\nwarp get": true, "/opt/warp.exe get": true, "$(warp get)": true, `ssh h "warp get"`: true, "sudo\twarp\n": true, "(warp)": true,
		"true;warp get": true, "java -jar o.jar": true,
		"warp: 1\nphases: [{run: a}]": false, "warpspeed get": false, "warpdrive; mywarp get": false, "name: my-warp\n": false, "": false,
	} {
		if got := mentions(text, []string{"warp"}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
