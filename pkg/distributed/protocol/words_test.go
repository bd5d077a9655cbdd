package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/distributed/transport"
)

// TestWordsOfPeers: all that messages hold of words is made fit to be shown as it comes in. What is not listed here is.
func TestWordsOfPeers(t *testing.T) {
	names := map[string]bool{ // never shown, or checked by whom it concerns
		"Welcome.Instance": true, "Join.Run": true, "Secrets.AccessKey": true, "Secrets.SecretKey": true, "Secrets.SessionToken": true, "Secrets.TLSKey": true, "Secrets.Authorities": true, "Secrets.Certificate": true,
		"Start.ID": true, "Start.Name": true, "Start.CommandLine": true, "Statistics.Host": true, "SharedValue.Key": true, "Arrival.Stage": true, "Count.Stage": true,
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
		SharedValue{},
		Arrival{},
		TrialPart{},
		Count{},
		Release{},
		Stop{},
		Notice{},
		Live{},
		Rates{},
		EndClock{},
		Bounds{},
		Windows{},
		Fetch{},
		HandedOver{},
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
	text, err := json.Marshal(map[string]any{"error": testkit.HostileText + strings.Repeat("x", 2*transport.MaxPeerText), "warnings": strings.Split(strings.Repeat(testkit.HostileText+",", 3*transport.MaxPeerTexts), ",")})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	testkit.CheckPlain(t, string(d.Err), 3*transport.MaxPeerText)
	for _, w := range d.Warnings {
		testkit.CheckPlain(t, string(w), 3*transport.MaxPeerText)
	}
	if len(d.Warnings) != transport.MaxPeerTexts+1 {
		t.Errorf("%d warnings", len(d.Warnings))
	}
}
