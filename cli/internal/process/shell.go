package process

import (
	"runtime"
	"strings"
)

// plainInShells are the characters without a meaning in bash, zsh and fish wherever they stand in a word, besides letters and digits.
const plainInShells = "_-./:,+@"

// ShellCommand is a command with its arguments, for pasting into a shell.
func ShellCommand(args ...string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = shellWord(arg)
	}
	return strings.Join(words, " ")
}

// shellWord is a text as one word of bash, zsh and fish; on Windows, of cmd and PowerShell.
func shellWord(text string) string {
	special := func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune(plainInShells, r)
	}
	name, value, flag := strings.Cut(text, "=")
	switch {
	case flag && strings.HasPrefix(name, "--") && !strings.ContainsFunc(name, special):
		if value == "" {
			return text
		}
		return name + "=" + shellWord(value)
	case text != "" && !strings.ContainsFunc(text, special):
		return text
	case runtime.GOOS == "windows":
		return `"` + text + `"`
	}
	// fish takes a backslash within single quotes for an escape
	return "'" + strings.NewReplacer("'", `'\''`, `\`, `'\\'`).Replace(text) + "'"
}

// ShellFile is shellWord for the name of a file, which must not look like a flag.
func ShellFile(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return path
}

// ReportCommand names the command that prints the report of a recording.
func ReportCommand(path string) string {
	return "To print this report again: " + ShellCommand("warp", "analyze", ShellFile(path))
}
