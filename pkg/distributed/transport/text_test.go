package transport

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/gorilla/websocket"
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
	if len(text) > 3*MaxPeerText {
		t.Errorf("it is %d bytes long", len(text))
	}
}

// TestWordsOfStrangers: whatever answers where a client should be, or connects to one, says nothing that steers a terminal.
func TestWordsOfStrangers(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, say := range map[string]func(c *Conn){
		"refuses": func(c *Conn) {
			_ = c.Send(msgRefuse, map[string]any{"reason": steering + long})
		},
		"closes": func(c *Conn) {
			_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.ClosePolicyViolation, steering), time.Now().Add(time.Second))
		},
		"is unknown": func(c *Conn) {
			_ = c.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"\u001b]0;mine\u0007"}`))
		},
	} {
		t.Run("client "+name, func(t *testing.T) {
			s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil); err == nil {
					say(&Conn{ws, &testProtocol, testTiming})
					_, _, _ = ws.ReadMessage() // until the other side has enough
					ws.Close()
				}
			}))
			defer s.Close()
			_, err := dial(t, strings.TrimPrefix(s.URL, "https://"), testOptions())
			if err == nil {
				t.Fatal("it takes part")
			}
			isPlain(t, err.Error())
		})
		t.Run("coordinator "+name, func(t *testing.T) {
			c := startServer(t, nil)
			ws, _, _, _, err := knock(t, c.addr, nil)
			if err != nil {
				t.Fatal(err)
			}
			say(ws)
			until(t, "the log tells", func() bool { return strings.Contains(c.logged(), "Refused a connection from") })
			isPlain(t, c.logged())
		})
	}
}
