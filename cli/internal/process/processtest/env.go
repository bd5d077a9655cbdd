// Package processtest has processes for tests.
package processtest

import (
	"bytes"
	"io"
	"os"
	"strings"

	"warp/cli/internal/process"
)

// Env returns a process without any surroundings, with arguments behind the name of warp, and its standard output.
func Env(args ...string) (e process.Env, out *bytes.Buffer) {
	out = &bytes.Buffer{}
	return process.Env{
		Args:    append([]string{"warp"}, args...),
		Stdin:   strings.NewReader(""),
		Stdout:  out,
		Stderr:  io.Discard,
		Getenv:  func(string) string { return "" },
		Width:   func() int { return 80 },
		Signals: make(chan os.Signal),
		Exit:    func(int) { panic("exit") },
	}, out
}
