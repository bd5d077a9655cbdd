package protocol

import (
	"slices"
	"strings"

	"warp/pkg/distributed/transport"
)

// Short returns the text of an error, shortened to what a message can hold.
func Short(err error) transport.PeerText {
	const limit = 2 << 10
	text := OneLine(err)
	if len(text) > limit {
		text = text[:limit] + " ..."
	}
	return transport.PeerText(text)
}

// OneLine returns the text of an error as one line without repetitions: the end of a session is the error of all its users.
func OneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}
