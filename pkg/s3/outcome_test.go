package s3_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestConditions: conditions are sent and signed; a status that is expected is an outcome, and any other one an error.
func TestConditions(t *testing.T) {
	var got *http.Request
	status := 0
	host := handle(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("ETag", `"e1"`)
		w.WriteHeader(status)
		if status > http.StatusNotModified {
			_, _ = fmt.Fprint(w, "<Error><Code>PreconditionFailed</Code><Message>m</Message><RequestId>R</RequestId></Error>")
		}
	})
	expected := []int{304, 412}
	eachEngine(t, func(t *testing.T, open opener) {
		s := open(t, s3.Config{Hosts: []string{host}, Uploads: s3.Uploads{Checksum: "CRC32C"}}).Session(0)
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
			for i, code := range []int{200, 304, 412, 409, 412} {
				status = code
				c := &s3.Call{Key: "k", Size: 0, If: s3.Conditions{Match: `"e1"`, NoneMatch: "*"}, Expected: expected, WantETag: true}
				var err error
				switch method {
				case http.MethodGet:
					err = ops.Get(t.Context(), s, c)
				case http.MethodPut:
					c.Body = strings.NewReader("")
					err = ops.Put(t.Context(), s, c)
				default:
					err = ops.Delete(t.Context(), s, c)
				}
				if h := got.Header; h.Get("If-Match") != `"e1"` || h.Get("If-None-Match") != "*" || !strings.Contains(h.Get("Authorization"), "if-match;if-none-match") {
					t.Errorf("%s: headers %v", method, h)
				}
				(&sent{got, nil}).signedBy(t, "AKEY", "SKEY")
				if c.Status != code || c.ETag != `"e1"` || i > 0 && c.Connected > 0 {
					t.Errorf("%s, %d: status %d, ETag %s, connected %v", method, code, c.Status, c.ETag, c.Connected)
				}
				outcome := map[int]int{304: 304, 412: 412}[code]
				if (err != nil) != (code != 200) || s3.Outcome(err, expected) != outcome || s3.Outcome(err, nil) != 0 {
					t.Errorf("%s, %d: %v, outcome %d", method, code, err, s3.Outcome(err, expected))
				}
				if code == 409 && class(err) != "409 PreconditionFailed" {
					t.Errorf("%s, %d: %v", method, code, err)
				}
			}
		}
	})
}
