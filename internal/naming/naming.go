// Package naming is the grammar that names of objects and of buckets share: text with elements in braces, and numbers in these elements.
package naming

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Scan splits a template: it calls literal for text, and element for what stands between braces. {{ and }} are braces. Errors of elements
// name their element.
func Scan(text string, literal func(string), element func(string) error) error {
	for rest := text; rest != ""; {
		at := strings.IndexAny(rest, "{}")
		if at < 0 {
			at = len(rest)
		}
		if at > 0 {
			literal(rest[:at])
		}
		if rest = rest[at:]; rest == "" {
			return nil
		}
		if len(rest) > 1 && rest[1] == rest[0] {
			literal(rest[:1])
			rest = rest[2:]
			continue
		}
		inner, more, closed := strings.Cut(rest[1:], "}")
		if rest[0] == '}' || !closed {
			return fmt.Errorf("invalid template %q: a brace stands alone at character %d (want {NAME}, or {{ and }} for braces)",
				text, len(text)-len(rest)+1)
		}
		if err := element(inner); err != nil {
			return fmt.Errorf("invalid element \"{%s}\": %w", inner, err)
		}
		rest = more
	}
	return nil
}

// Escape returns the template that stands for a text.
func Escape(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(text)
}

// Hostname replaces the element {hostname} by the name of this machine. Other elements stay, also invalid ones.
func Hostname(text string) (string, error) {
	if !strings.Contains(text, "{hostname}") {
		return text, nil
	}
	name, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("{hostname}: %w", err)
	}
	var b strings.Builder
	err = Scan(text, func(s string) { b.WriteString(Escape(s)) }, func(inner string) error {
		if inner == "hostname" {
			b.WriteString(Escape(name))
		} else {
			b.WriteString("{" + inner + "}")
		}
		return nil
	})
	if err != nil {
		return text, nil //nolint:nilerr // who parses the template says what is wrong
	}
	return b.String(), nil
}

var errOrder = errors.New("invalid order (want /N and %N, then *N, then +N)")
