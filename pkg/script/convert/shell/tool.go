package shell

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// tool is a program that is computed: what it is called with, and what it prints.
type tool struct {
	name     string
	args     []string                    // without its name
	read     func(files []string) string // their text, or that of its input
	out      *bufio.Writer
	stderr   io.Writer
	unknowns *unknowns
	code     int
}

// print prints a line.
func (t *tool) print(line string) bool {
	_, _ = t.out.WriteString(line + "\n") // Flush keeps the error
	return true
}

// fail says what is wrong.
func (t *tool) fail(format string, args ...any) bool {
	fmt.Fprintf(t.stderr, t.name+": "+format+"\n", args...)
	t.code = 1
	return true
}

// printAll prints lines.
func (t *tool) printAll(list []string) bool {
	for _, l := range list {
		t.print(l)
	}
	return true
}

// lines splits a text.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
