package azure_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/target"
)

// TestTokenEnds: requests fail once the token has ended and none is given, without waiting for one, and succeed again with the next.
func TestTokenEnds(t *testing.T) {
	for _, engine := range []string{s3.EngineLean, s3.EngineStd} {
		t.Run(engine, func(t *testing.T) {
			var ended, given atomic.Bool
			host := tokenHost(t, func(r *http.Request) bool {
				return !ended.Load() && r.Header.Get("Authorization") == "Bearer T0" || r.Header.Get("Authorization") == "Bearer T1"
			})
			refused := make(chan struct{}, 1)
			first := true
			keys, err := target.BearerToken(t.Context(), "test", func(context.Context) (target.Token, error) {
				switch {
				case first:
					first = false
					return target.Token{Text: "T0", Expires: time.Now().Add(time.Second)}, nil
				case given.Load():
					return target.Token{Text: "T1", Expires: time.Now().Add(time.Hour)}, nil
				}
				select {
				case refused <- struct{}{}:
				default:
				}
				return target.Token{}, errors.New("no token today")
			})
			if err != nil {
				t.Fatal(err)
			}
			s := tokenSession(t, host, engine, keys)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			stat := func() error { return ops.Stat(ctx, s, &s3.Call{Key: "k", Size: -1}) }
			if err := stat(); err != nil {
				t.Fatal(err)
			}
			<-refused
			if err := stat(); err != nil { // the old one serves as long as the store takes it
				t.Error(err)
			}
			ended.Store(true)
			if err := stat(); s3.AsError(err).Class != "401 InvalidAuthenticationInfo" {
				t.Errorf("with an old token: %v", err)
			}
			given.Store(true)
			for err = stat(); err != nil && ctx.Err() == nil; err = stat() {
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTokenProves requests within others, and sources of copies.
func TestTokenProves(t *testing.T) {
	for _, engine := range []string{s3.EngineLean, s3.EngineStd} {
		t.Run(engine, func(t *testing.T) {
			var body bytes.Buffer
			var source string
			host := tokenHost(t, func(r *http.Request) bool {
				_, _ = io.Copy(&body, r.Body) // what is missing is missed below
				source += r.Header.Get("X-Ms-Copy-Source") + " " + r.Header.Get("X-Ms-Copy-Source-Authorization")
				return r.Header.Get("Authorization") == "Bearer T"
			})
			s := tokenSession(t, host, engine, target.Credentials{SessionToken: "T", Bearer: true})
			_ = ops.DeleteMany(t.Context(), s, &s3.Call{}, &ops.Deletion{Objects: []ops.ObjectID{{Key: "a"}}}) // its response is not that of a batch
			if !strings.Contains(body.String(), "DELETE /box/a HTTP/1.1\r\n") || !strings.Contains(body.String(), "\r\nAuthorization: Bearer T\r\n") {
				t.Errorf("batch: %q", body.String())
			}
			source = ""
			_, err := ops.CopyPart(t.Context(), s, &s3.Call{Key: "k"}, &ops.Document{}, "box/from", "blocks", 1)
			if want := "http://" + host + "/box/from Bearer T"; err != nil || source != want {
				t.Errorf("source %q, want %q (%v)", source, want, err)
			}
		})
	}
}

// tokenHost is a store that takes requests which a function approves.
func tokenHost(t *testing.T, approve func(*http.Request) bool) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !approve(r):
			w.Header().Set("X-Ms-Error-Code", "InvalidAuthenticationInfo")
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method == http.MethodPut:
			w.WriteHeader(http.StatusCreated)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func tokenSession(t *testing.T, host, engine string, keys target.Credentials) s3.Session {
	cfg := s3.Config{Store: s3.StoreAzure, Hosts: []string{host}, Bucket: "box", Engine: engine}
	cfg.SetKeys(keys)
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store.Session(0)
}
