package protocol

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"

	"warp/pkg/distributed/transport"
)

// Short returns the text of an error, shortened to what a message can hold.
func Short(err error) transport.PeerText {
	const most = 2 << 10
	text := OneLine(err)
	if len(text) > most {
		text = text[:most] + " ..."
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

// RandomID returns an id of n random bytes that cannot be guessed.
func RandomID(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(b)
}
