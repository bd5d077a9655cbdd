package osb

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"warp/pkg/script"
)

// tokenKind is what a token of the statement language of object-store-bench is.
type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenNumber
	tokenText // in quotes
	tokenSemicolon
	tokenInvalid
)

// token is one token: a word in upper case, the digits of a number, or what is between quotes.
type token struct {
	kind tokenKind
	text string
	at   script.Pos
	end  int // offset behind it
}

// lexer splits a script into tokens. It never fails: what is no token becomes one of its own.
type lexer struct {
	text string
	off  int
	at   script.Pos
}

func newLexer(text string) *lexer { return &lexer{text: text, at: script.Pos{Line: 1, Column: 1}} }

// advance passes n bytes.
func (l *lexer) advance(n int) {
	for _, r := range l.text[l.off : l.off+n] {
		l.at.Column++
		if r == '\n' {
			l.at.Line, l.at.Column = l.at.Line+1, 1
		}
	}
	l.off += n
}

// next returns the next token.
func (l *lexer) next() token {
	l.skip()
	rest := l.text[l.off:]
	t := token{at: l.at}
	n := 0
	switch r, size := utf8.DecodeRuneInString(rest); {
	case rest == "":
	case r == ';':
		t.kind, n = tokenSemicolon, size
	case r == '"':
		end := strings.IndexByte(rest[1:], '"')
		if end < 0 {
			t.kind, t.text, n = tokenInvalid, "a name without closing quote", len(rest)
			break
		}
		t.kind, t.text, n = tokenText, rest[1:1+end], end+2
	case r >= '0' && r <= '9':
		n = spanOf(rest, func(r rune) bool { return r >= '0' && r <= '9' || r == '.' })
		t.kind, t.text = tokenNumber, rest[:n]
	case isLetter(r):
		n = spanOf(rest, isLetter)
		t.kind, t.text = tokenWord, strings.ToUpper(rest[:n])
	case strings.HasPrefix(rest, "/*"):
		t.kind, t.text, n = tokenInvalid, "a comment without closing */", len(rest)
	default:
		t.kind, t.text, n = tokenInvalid, rest[:size], size
	}
	l.advance(n)
	t.end = l.off
	return t
}

func isLetter(r rune) bool { return r == '_' || r < utf8.RuneSelf && unicode.IsLetter(r) }

// spanOf returns the length of the longest start of s with only such characters.
func spanOf(s string, in func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// skip passes white space and comments.
func (l *lexer) skip() {
	for {
		rest := l.text[l.off:]
		n := spanOf(rest, unicode.IsSpace)
		switch rest = rest[n:]; {
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				l.advance(n)
				return // an invalid token is there
			}
			n += end + 4
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "#"):
			n += lineComment(rest)
		}
		if n == 0 {
			return
		}
		l.advance(n)
	}
}

// lineComment returns the length of a comment that ends with its line, unless a backslash is before the line feed.
func lineComment(s string) int {
	n := 0
	for {
		end := strings.IndexByte(s[n:], '\n')
		if end < 0 {
			return len(s)
		}
		n += end + 1
		if !strings.HasSuffix(strings.TrimSuffix(s[:n-1], "\r"), `\`) {
			return n
		}
	}
}
