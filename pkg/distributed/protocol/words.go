package protocol

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"

	"warp/pkg/distributed/transport"
)

// short is the text of an error, of a length that can be sent.
func Short(err error) transport.PeerText {
	const most = 2 << 10
	text := OneLine(err)
	if len(text) > most {
		text = text[:most] + " ..."
	}
	return transport.PeerText(text)
}

// oneLine is the text of an error in one line that says nothing twice: the end of a session is the error of all who wait.
func OneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}

// randomName is a name of n random bytes that nobody can guess.
func RandomID(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(b)
}
