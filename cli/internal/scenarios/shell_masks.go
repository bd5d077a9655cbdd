package scenarios

import (
	"io"
	"slices"
	"strings"
	"sync"

	"warp/internal/secret"
	"warp/pkg/script/convert"
	"warp/pkg/script/convert/shell"
)

// masks are the secrets of a script, which nothing shows.
type masks struct {
	mu   sync.Mutex
	list []string
}

// mask is a text without the secrets of the script.
func (s *shellScript) mask(text string) string {
	s.masks.mu.Lock()
	defer s.masks.mu.Unlock()
	for _, m := range s.masks.list {
		text = strings.ReplaceAll(text, m, strings.Repeat("*", len(m)))
	}
	return text
}

// addMask has a secret masked from here. One of a few letters would mask half of a text.
func (s *shellScript) addMask(value string) {
	s.masks.mu.Lock()
	defer s.masks.mu.Unlock()
	if len(value) > 3 && !strings.HasPrefix(value, "${") && !slices.Contains(s.masks.list, value) {
		s.masks.list = append(s.masks.list, value)
	}
}

// maskWarp masks the secrets of a command line of warp.
func (s *shellScript) maskWarp(l *shell.Line) {
	for i, a := range l.Args {
		name, value, assigned := strings.Cut(strings.TrimLeft(a.Text, "-"), "=")
		switch {
		case !strings.HasPrefix(a.Text, "-") || !secret.Flag(name):
		case assigned:
			s.addMask(value)
		case i+1 < len(l.Args):
			s.addMask(l.Args[i+1].Text)
		}
	}
}

// masked is a stream without secrets.
func (s *shellScript) masked(to io.Writer) io.Writer { return &maskedWriter{s, to} }

type maskedWriter struct {
	s  *shellScript
	to io.Writer
}

func (w *maskedWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.s.mask(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// secretOptions returns the options of the tools in a script whose values are secret.
func secretOptions(text string) []string {
	list := slices.Clone(secret.Credentials)
	for _, source := range convert.Sources() {
		if slices.ContainsFunc(source.Programs, func(p string) bool { return strings.Contains(text, p) }) {
			list = append(list, source.Secrets...)
		}
	}
	return list
}
