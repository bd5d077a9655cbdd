package distributed

import (
	"encoding/json"
	"fmt"

	"warp/pkg/units"
)

const (
	// maxPeerText is how much of a text of the other side is shown, in bytes.
	maxPeerText = 4 << 10
	// maxPeerTexts is how many warnings of the other side are.
	maxPeerTexts = 100
)

// peerText is text of the other side, which may be a stranger. It is made fit to be shown when it comes in, so that nobody
// need think of that later: one line without control characters, of limited length. All fields of messages that hold words
// are of this type.
type peerText string

// UnmarshalJSON takes the text in.
func (t *peerText) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*t = peerText(showable(s))
	return nil
}

// showable is a text of the other side as it may be shown.
func showable(s string) string {
	if len(s) > maxPeerText {
		s = s[:maxPeerText] + " ..."
	}
	return units.Line(s)
}

// peerTexts are several texts.
type peerTexts []peerText

// UnmarshalJSON takes the texts in, and of very many the first.
func (t *peerTexts) UnmarshalJSON(b []byte) error {
	var list []peerText
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if more := len(list) - maxPeerTexts; more > 0 {
		list = append(list[:maxPeerTexts], peerText(fmt.Sprintf("%d more warnings are not shown", more)))
	}
	*t = list
	return nil
}

func textsOf(list []string) (t peerTexts) {
	for _, s := range list {
		t = append(t, peerText(s))
	}
	return t
}

// peerError is an error that may quote the other side, as a websocket's close and a certificate's names do.
type peerError struct{ err error }

// Error is the text, fit to be shown.
func (e *peerError) Error() string { return showable(e.err.Error()) }

// Unwrap is the error itself.
func (e *peerError) Unwrap() error { return e.err }

// ofPeer wraps an error that may quote the other side; nil stays nil.
func ofPeer(err error) error {
	if err == nil {
		return nil
	}
	return &peerError{err}
}
