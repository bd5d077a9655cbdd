package distributed

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
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
	if len(text) > 3*maxPeerText {
		t.Errorf("it is %d bytes long", len(text))
	}
}

// TestWordsOfStrangers: whatever answers where a client should be, or connects to one, says nothing that steers a terminal.
func TestWordsOfStrangers(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, say := range map[string]func(ws *websocket.Conn){
		"refuses": func(ws *websocket.Conn) {
			_ = say(ws, msgRefuse, map[string]any{"reason": steering + long}, time.Second)
		},
		"closes": func(ws *websocket.Conn) {
			_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.ClosePolicyViolation, steering), time.Now().Add(time.Second))
		},
		"is unknown": func(ws *websocket.Conn) {
			_ = ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"\u001b]0;mine\u0007"}`))
		},
	} {
		t.Run("client "+name, func(t *testing.T) {
			s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil); err == nil {
					say(ws)
					_, _, _ = ws.ReadMessage() // until the other side has enough
					ws.Close()
				}
			}))
			defer s.Close()
			_, err := Run(context.Background(), testPlan(t, "put", "127.0.0.1:1", time.Second), credentials, testOptions(strings.TrimPrefix(s.URL, "https://")))
			if err == nil {
				t.Fatal("it takes part")
			}
			isPlain(t, err.Error())
		})
		t.Run("coordinator "+name, func(t *testing.T) {
			c := startClient(t, nil)
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

// TestWordsOfPeers: all that messages hold of words is made fit to be shown as it comes in. What is not listed here is.
func TestWordsOfPeers(t *testing.T) {
	names := map[string]bool{ // never shown, or checked by whom it concerns
		"welcome.Instance": true, "join.Run": true, "secrets.AccessKey": true, "secrets.SecretKey": true, "secrets.SessionToken": true,
		"start.ID": true, "start.Name": true, "start.CommandLine": true, "statistics.Host": true, "once.Key": true, "meet.Stage": true, "count.Stage": true,
		"live.Phase": true, "fetch.What": true,
	}
	for _, body := range []any{
		challenge{},
		proofBody{},
		accept{},
		refuse{},
		hello{},
		welcome{},
		clockProbe{},
		join{},
		joined{},
		secrets{},
		start{},
		statistics{},
		once{},
		meet{},
		count{},
		begin{},
		stop{},
		notice{},
		live{},
		points{},
		parting{},
		boundsBody{},
		windows{},
		fetch{},
		handed{},
		done{},
		runEnd{},
		enclosed{},
	} {
		for f := range reflect.TypeOf(body).Fields() {
			texts := f.Type == reflect.TypeFor[string]() || f.Type == reflect.TypeFor[[]string]()
			if name := reflect.TypeOf(body).Name() + "." + f.Name; texts && !names[name] {
				t.Errorf("%s is not made fit to be shown", name)
			}
		}
	}
	var d done
	text, err := json.Marshal(map[string]any{"error": steering + strings.Repeat("x", 2*maxPeerText), "warnings": strings.Split(strings.Repeat(steering+",", 3*maxPeerTexts), ",")})
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
	if len(d.Warnings) != maxPeerTexts+1 {
		t.Errorf("%d warnings", len(d.Warnings))
	}
}
