package transport

import (
	"encoding/json"
	"fmt"

	"warp/pkg/units"
)

const (
	// MaxPeerText is how much of a text of the other side is kept, in bytes.
	MaxPeerText = 4 << 10
	// MaxPeerTexts is how many texts of a list are.
	MaxPeerTexts = 100
)

// PeerText is text of the other side, which is not trusted. Decoding makes it fit for a terminal: one line without control
// characters, of limited length. All fields of messages that hold words are of this type.
type PeerText string

// UnmarshalJSON decodes and cleans the text.
func (t *PeerText) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*t = PeerText(Printable(s))
	return nil
}

// Printable returns a text of the other side as it may be printed.
func Printable(s string) string {
	if len(s) > MaxPeerText {
		s = s[:MaxPeerText] + " ..."
	}
	return units.Line(s)
}

// PeerTexts is a list of texts.
type PeerTexts []PeerText

// UnmarshalJSON decodes and cleans the texts, and keeps the first of very many.
func (t *PeerTexts) UnmarshalJSON(b []byte) error {
	var list []PeerText
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if more := len(list) - MaxPeerTexts; more > 0 {
		list = append(list[:MaxPeerTexts], PeerText(fmt.Sprintf("%d more warnings are not shown", more)))
	}
	*t = list
	return nil
}

// TextsOf returns the list as texts for the other side.
func TextsOf(list []string) (t PeerTexts) {
	for _, s := range list {
		t = append(t, PeerText(s))
	}
	return t
}

// peerError is an error that may quote the other side, as a websocket's close and a certificate's names do.
type peerError struct{ err error }

// Error is the text, fit for a terminal.
func (e *peerError) Error() string { return Printable(e.err.Error()) }

// Unwrap returns the error itself.
func (e *peerError) Unwrap() error { return e.err }

// ofPeer wraps an error that may quote the other side; nil stays nil.
func ofPeer(err error) error {
	if err == nil {
		return nil
	}
	return &peerError{err}
}
