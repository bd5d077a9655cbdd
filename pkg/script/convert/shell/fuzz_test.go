package shell

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzRun: whatever the script, a check of it ends, touches no file, and says what is wrong.
func FuzzRun(f *testing.F) {
	for _, text := range []string{
		"for s in 4K 64K; do hsbench -z $s | tee $s.log; done",
		"cat > j.fio <<EOF\nbs=${BS}M\nEOF\nfio j.fio",
		"S=(a b); hsbench ${S[@]} ${!S[@]} ${#S[@]}",
		"f() { local x=$1; hsbench $x; }; f 1 & f 2; wait", "while getopts a:b o; do case $o in a) A=$OPTARG;; esac; done; hsbench $A",
		"ssh -p 22 h 'hsbench -z $((1<<20))'; clush -w n[1-4] \"hsbench \\$(hostname)\"", "eval \"hsbench $X\"; bash -c 'hsbench $1' a b",
		"echo a:b | cut -d: -f2 | tr a-z A-Z | sed 's/\\(B\\)/[\\1]/g' | awk '{print $1}'; date +%s%N; seq -w 1 3",
		"trap 'hsbench' EXIT; exit 3",
		"exec > >(tee log) 2>&1; hsbench < <(cat x)",
		"[[ $X =~ a(b) ]] && hsbench ${BASH_REMATCH[1]}; select x in a; do :; done",
		"until hsbench; do sleep 1; done",
		"declare -A M=([a]=1); for k in ${!M[@]}; do hsbench ${M[$k]}; done",
		"env A=b timeout -k 1 5 nice -n 3 hsbench",
		"java -jar x.jar --script='PUT 1 OBJECTS;'",
		"printf -v x '%05d' 7; mapfile -t L < f; hsbench $x \"${L[@]:1:2}\" ${x/0/1} ${x^^}", ". ./f; source f; cd d && hsbench",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 || strings.Contains(text, "printf") && strings.Contains(text, "%") && len(text) > 200 {
			return
		}
		sc, err := Parse("x.sh", text)
		if err != nil {
			return
		}
		dir := t.TempDir()
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := sc.Run(ctx, &World{
			Dir:    dir,
			Check:  true,
			Known:  tools,
			Access: func(path string, _ bool) error { return &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission} },
			Run: func(_ context.Context, l *Line) error {
				_, _ = l.ReadFile("j.fio")
				_ = l.String()
				return nil
			},
			Stdout: &out,
			Stderr: &out,
		}); err != nil && err.Error() == "" {
			t.Error("an error without a text")
		}
		if ctx.Err() != nil {
			t.Errorf("no end: %q", text)
		}
		if entries, _ := os.ReadDir(dir); len(entries) > 0 || out.Len() > 0 {
			t.Errorf("%q: files %v, output %q", text, entries, &out)
		}
		if list, _ := filepath.Glob("*.log"); len(list) > 0 {
			t.Errorf("%q wrote %v", text, list)
		}
	})
}
