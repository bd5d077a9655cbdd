package transport

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"

	"github.com/gorilla/websocket"
)

// TestWordsOfStrangers: whatever answers where a client should be, or connects to one, says nothing that steers a terminal.
func TestWordsOfStrangers(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, say := range map[string]func(c *Conn){
		"refuses": func(c *Conn) {
			_ = c.Send(msgRefuse, map[string]any{"reason": testkit.HostileText + long})
		},
		"closes": func(c *Conn) {
			_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.ClosePolicyViolation, testkit.HostileText), time.Now().Add(time.Second))
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
			testkit.CheckPlain(t, err.Error(), 3*MaxPeerText)
		})
		t.Run("coordinator "+name, func(t *testing.T) {
			c := startServer(t, nil)
			ws, _, _, _, err := knock(t, c.addr, nil)
			if err != nil {
				t.Fatal(err)
			}
			say(ws)
			until(t, "the log tells", func() bool { return strings.Contains(c.logged(), "Refused a connection from") })
			testkit.CheckPlain(t, c.logged(), 3*MaxPeerText)
		})
	}
}
