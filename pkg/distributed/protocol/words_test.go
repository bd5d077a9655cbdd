package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"warp/pkg/distributed/transport"
)

// steering is words that would set the title of a terminal, turn text round, and pretend to be another line.
const steering = "go\x1b]0;mine\x07 away\nwarp: all is well\u202e\u009b2J"

// isPlain fails if a text would do anything but be read.
func isPlain(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "warp:") {
			t.Errorf("it has a line of its own: %q", text)
		}
	}
	if strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
		t.Errorf("it steers the terminal: %q", text)
	}
	if len(text) > 3*transport.MaxPeerText {
		t.Errorf("it is %d bytes long", len(text))
	}
}

// TestWordsOfPeers: all that messages hold of words is made fit to be shown as it comes in. What is not listed here is.
func TestWordsOfPeers(t *testing.T) {
	names := map[string]bool{ // never shown, or checked by whom it concerns
		"Welcome.Instance": true, "Join.Run": true, "Secrets.AccessKey": true, "Secrets.SecretKey": true, "Secrets.SessionToken": true,
		"Start.ID": true, "Start.Name": true, "Start.CommandLine": true, "Statistics.Host": true, "Once.Key": true, "Arrival.Stage": true, "Count.Stage": true,
		"Live.Phase": true, "Fetch.What": true,
	}
	for _, body := range []any{
		Hello{},
		Welcome{},
		ClockProbe{},
		Join{},
		Joined{},
		Secrets{},
		Start{},
		Statistics{},
		Once{},
		Arrival{},
		Count{},
		Begin{},
		Stop{},
		Notice{},
		Live{},
		Rates{},
		Parting{},
		Bounds{},
		Windows{},
		Fetch{},
		Handed{},
		Done{},
		RunEnd{},
	} {
		for f := range reflect.TypeOf(body).Fields() {
			texts := f.Type == reflect.TypeFor[string]() || f.Type == reflect.TypeFor[[]string]()
			if name := reflect.TypeOf(body).Name() + "." + f.Name; texts && !names[name] {
				t.Errorf("%s is not made fit to be shown", name)
			}
		}
	}
	var d Done
	text, err := json.Marshal(map[string]any{"error": steering + strings.Repeat("x", 2*transport.MaxPeerText), "warnings": strings.Split(strings.Repeat(steering+",", 3*transport.MaxPeerTexts), ",")})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	isPlain(t, string(d.Err))
	for _, w := range d.Warnings {
		isPlain(t, string(w))
	}
	if len(d.Warnings) != transport.MaxPeerTexts+1 {
		t.Errorf("%d warnings", len(d.Warnings))
	}
}
