package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"warp/cli/internal/usage"
	"warp/internal/testkit"
)

// TestDocumentedTopics: what a page says between "<!-- warp help TOPIC -->" and the end of the next table is the text of the topic, and
// each topic is in one page.
func TestDocumentedTopics(t *testing.T) {
	found := map[string]int{}
	for _, path := range documents(t) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(page)
		for _, topic := range usage.Topics {
			mark := "<!-- warp help " + topic.Name + " -->\n"
			before, after, ok := strings.Cut(text, mark)
			if !ok {
				continue
			}
			found[topic.Name]++
			_, table, begins := strings.Cut(after, "\n|")
			_, rest, ends := strings.Cut(table, "\n\n")
			if !begins || !ends {
				t.Fatalf("%s has no table behind %q", path, mark)
			}
			text = before + mark + markdown(topic) + "\n" + rest
		}
		if text != string(page) {
			testkit.Golden(t, path, text)
		}
	}
	for _, topic := range usage.Topics {
		if found[topic.Name] != 1 {
			t.Errorf("topic %s is in %d pages, want 1", topic.Name, found[topic.Name])
		}
	}
}

// literal is a flag with its value, or an element of a template.
var literal = regexp.MustCompile(`--[a-z][\w-]*(?:\.[\w-]+)*(?:=[^\s;)]*\w)?|\{[^\s,}]+\}`)

// markdown returns a topic as a paragraph and a table.
func markdown(topic usage.Topic) string {
	var b strings.Builder
	width := 0
	for word := range strings.FieldsSeq(literal.ReplaceAllString(topic.About, "`$0`")) {
		n := utf8.RuneCountInString(word)
		switch {
		case width == 0:
		case width+1+n > 120:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	b.WriteString("\n\n| value | meaning |\n|---|---|\n")
	for _, f := range topic.Forms {
		value := "`" + strings.ReplaceAll(f[0], ", ", "`, `") + "`"
		b.WriteString("| " + value + " | " + literal.ReplaceAllString(f[1], "`$0`") + " |\n")
	}
	return b.String()
}
