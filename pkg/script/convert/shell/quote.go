package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// plain are the characters of words without quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%^"

// quoted writes a word as a shell reads it.
func quoted(word string) string {
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	text, err := syntax.Quote(word, syntax.LangBash)
	if err != nil {
		return word
	}
	return text
}
