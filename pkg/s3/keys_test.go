package s3_test

import (
	"encoding/json"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/target"
)

// TestKeysInTurn: each worker signs with a key of its own, in all ways to sign, and begins where the workers before it end.
func TestKeysInTurn(t *testing.T) {
	all := []target.Key{{Access: "A0", Secret: "S0"}, {Access: "A1", Secret: "S1", Token: "T1"}, {Access: "A2", Secret: "S2"}}
	eachEngine(t, func(t *testing.T, open opener) {
		host, latest := receive(t)
		cfg := s3.Config{Hosts: []string{host}, AccessKey: "A0", SecretKey: "S0", OtherKeys: all[1:], FirstWorker: 4}
		store := open(t, cfg)
		if n := store.Keys(); n != len(all) {
			t.Fatalf("%d keys", n)
		}
		for worker := range 7 {
			k := all[(4+worker)%len(all)]
			s := store.Session(worker)
			for range 2 {
				if err := ops.Delete(t.Context(), s, &s3.Call{Key: "k"}); err != nil {
					t.Fatal(err)
				}
				r := latest()
				if err := checkSignature(r.Request, string(k.Secret), "us-east-1"); err != nil ||
					!strings.Contains(r.Header.Get("Authorization"), "Credential="+string(k.Access)+"/") || r.Header.Get("X-Amz-Security-Token") != string(k.Token) {
					t.Errorf("worker %d: %v, %v", worker, err, r.Header)
				}
			}
			c := putCall("k", "text")
			c.Auth = s3.AuthQuery
			if err := ops.Put(t.Context(), s, c); err != nil {
				t.Fatal(err)
			}
			if q := latest().URL.Query(); !strings.HasPrefix(q.Get("X-Amz-Credential"), string(k.Access)+"/") || q.Get("X-Amz-Security-Token") != string(k.Token) {
				t.Errorf("worker %d, signed ahead: %v", worker, q)
			}
			if err := ops.Post(t.Context(), s, putCall("k", "text")); err != nil {
				t.Fatal(err)
			}
			if body := string(latest().body); !strings.Contains(body, "\r\n\r\n"+string(k.Access)+"/") {
				t.Errorf("worker %d, form: %s", worker, body)
			}
		}
		text, err := json.Marshal(store.Config())
		if err != nil || strings.Contains(string(text), "S1") || strings.Contains(string(text), "A1") || strings.Contains(string(text), "T1") {
			t.Errorf("%s, %v", text, err)
		}
	})
}
