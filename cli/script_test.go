package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"warp/internal/testkit"
)

// patience is how long scripts wait for what must happen; far longer than it takes.
const patience = 4 * time.Minute

// TestScripts runs the sessions in testdata/script, which have these commands in addition to testscript's:
//
//	run CODE PROGRAM ARGS...    runs a program, which must exit with CODE, or with one of several: 0|7
//	start NAME PROGRAM ARGS...  starts a program in the background; it prints into NAME.out and NAME.err
//	signal NAME INT|TERM|KILL   sends a signal to it
//	finish NAME CODE            waits for its end, with CODE; its output is then checked by stdout and stderr
//	waitline FILE REGEXP        waits until FILE matches
//	setfrom VAR FILE REGEXP     sets a variable to what the first group matches in FILE
//	rename REGEXP FILE          renames the one file whose name REGEXP matches
//	servergone FILE             waits until the directories of embedded servers that FILE names are gone
//	jsonhas FILE PATH[=VALUE]   FILE is one JSON value with something at PATH, as in operations.0.op=GET; see jsonHas
//	unpack FILE.csv.zst FILE    decompresses a recording
//	waitrows FILE N             waits until a recording holds N operations of a benchmark, without its preparation
//	waitprepared FILE N         waits until a recording holds N operations of a preparation
//	record FILE KIND MILLISECONDS CLIENT SECOND   writes a recording of ten seconds; see record
//	sameops FILE FILE N         the first N operations of two recordings are alike: kind, key and size
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Files:               scripts(t),
		UpdateScripts:       *testkit.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Values[programsKey{}] = map[string]*started{}
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("LANG", "C.UTF-8")
			e.Setenv("GOGC", os.Getenv("GOGC"))
			e.Setenv("NL", "\n")
			e.Setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential") // else the machine is asked for an identity, over the network
			if server := os.Getenv("WARP_TEST_EMBEDDED"); server != "" { // see "make race"
				e.Setenv("WARP_TEST_EMBEDDED", server)
			}
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"run": runProgram, "start": startProgram, "signal": signalProgram, "finish": finishProgram,
			"waitline": waitLine, "setfrom": setFrom, "rename": rename, "servergone": serverGone,
			"jsonhas": jsonHas, "unpack": unpackedText, "waitrows": waitRows, "waitprepared": waitPrepared, "sameops": sameOps, "record": record,
		},
	})
}

// scripts returns the sessions whose turn it is.
func scripts(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("scripts: %q, %v", all, err)
	}
	for i, path := range all {
		if testkit.InTurn(t, i) {
			files = append(files, path)
		}
	}
	return files
}

// demand fails the script if it used a command wrongly.
func demand(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

func runProgram(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, neg, args, 2, "run CODE PROGRAM ARGS...")
	err := ts.Exec(args[1], args[2:]...)
	checkCode(ts, args[0], err)
}

func checkCode(ts *testscript.TestScript, want string, err error) {
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if !slices.Contains(strings.Split(want, "|"), strconv.Itoa(code)) {
		ts.Fatalf("exit code is %d, want %s", code, want)
	}
}

// eventually waits until ok.
func eventually(ts *testscript.TestScript, what string, ok func() bool) {
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("timeout waiting for %s", what)
		}
	}
}

func waitLine(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, neg, args, 2, "waitline FILE REGEXP")
	pattern := regexp.MustCompile("(?m)" + args[1])
	eventually(ts, args[1]+" in "+args[0], func() bool {
		text, _ := os.ReadFile(ts.MkAbs(args[0]))
		return pattern.Match(text)
	})
}

func setFrom(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, neg, args, 3, "setfrom VAR FILE REGEXP")
	m := regexp.MustCompile("(?m)" + args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if len(m) < 2 {
		ts.Fatalf("%s is not in %s", args[2], args[1])
	}
	ts.Setenv(args[0], m[1])
}

func rename(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, neg, args, 2, "rename REGEXP FILE")
	pattern := regexp.MustCompile("^" + args[0] + "$")
	entries, err := os.ReadDir(ts.MkAbs("."))
	ts.Check(err)
	var found []string
	for _, e := range entries {
		if pattern.MatchString(e.Name()) {
			found = append(found, e.Name())
		}
	}
	if len(found) != 1 {
		ts.Fatalf("%s matches %q", args[0], found)
	}
	ts.Check(os.Rename(ts.MkAbs(found[0]), ts.MkAbs(args[1])))
}

var serverDir = regexp.MustCompile(`\((\S+warp-server-\w+)`)

func serverGone(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, neg, args, 1, "servergone FILE")
	dirs := serverDir.FindAllStringSubmatch(ts.ReadFile(args[0]), -1)
	if len(dirs) == 0 {
		ts.Fatalf("%s names no server", args[0])
	}
	for _, d := range dirs {
		eventually(ts, "the end of "+d[1], func() bool {
			_, err := os.Lstat(d[1])
			return errors.Is(err, os.ErrNotExist)
		})
	}
}
