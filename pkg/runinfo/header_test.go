package runinfo

import (
	"encoding/json"
	"strings"
	"testing"

	"warp/pkg/bench"
)

func TestRedact(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"warp get --host=a --access-key=AK --secret-key=SK", "warp get --host=a --access-key=*REDACTED* --secret-key=*REDACTED*"},
		{"warp get -secret-key SK -access-key AK -x", "warp get -secret-key *REDACTED* -access-key *REDACTED* -x"},
		{"warp get --session-token=T=1", "warp get --session-token=*REDACTED*"},
		{"warp get --influxdb=http://T@h/b/o --otlp http://T@h --remote-write=http://u:p@h", "warp get --influxdb=*REDACTED* --otlp *REDACTED* --remote-write=*REDACTED*"},
		{"warp get --sts-web-token eyJ", "warp get --sts-web-token *REDACTED*"},
		{"warp get --secret-key --secret-key x", "warp get --secret-key *REDACTED* x"}, // the first one's value is the second
		{"warp get --secret-key", "warp get --secret-key"},
		{"warp run --set=A=b=c --var D=e -set F f", "warp run --set=A=*REDACTED* --var D=*REDACTED* -set F=*REDACTED* f"},
		{"warp get --prefix=secret-key", "warp get --prefix=secret-key"},
	} {
		if got := Redact(strings.Split(c.args, " ")); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
	// The parser takes blanks around a flag for nothing.
	if got := Redact([]string{"warp", " --secret-key=SK", "\t-access-key", "A K", "--prefix=a b"}); got !=
		`warp --secret-key=*REDACTED* "\t-access-key" *REDACTED* "--prefix=a b"` {
		t.Errorf("got %s", got)
	}
}

// TestOfClient: what a coordinator of another version states is kept, and the plan is added only where it is missing.
func TestOfClient(t *testing.T) {
	plan := &bench.Plan{Seed: 7}
	client := &Client{ID: "Xk3f", Index: 1, Total: 2}
	for _, c := range []struct{ head, want string }{
		{``, `{"client":{"id":"Xk3f"`},
		{`{"version":"9","new":{"a":1},"plan":{"seed":8}}`, `{"client":{"id":"Xk3f"`},
	} {
		text, err := OfClient(json.RawMessage(c.head), plan, client)
		if err != nil || !strings.HasPrefix(string(text), c.want) {
			t.Fatalf("%s: %s, %v", c.head, text, err)
		}
		var head Header
		if err := json.Unmarshal(text, &head); err != nil || *head.Client != *client || head.Plan == nil {
			t.Errorf("%s: %+v, %v", text, head, err)
		}
		if c.head != "" && (head.Plan.Seed != 8 || !strings.Contains(string(text), `"new":{"a":1}`)) {
			t.Errorf("the coordinator's head became %s", text)
		}
	}
	if _, err := OfClient(json.RawMessage(`[1]`), plan, client); err == nil {
		t.Error("a head that is no object is taken")
	}
}
