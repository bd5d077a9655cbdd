package doctor_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"warp/internal/responder"
)

// TestTheCauseOfTheCheck: what is wrong with a needed operation is what its check found, not the error of another request that failed.
func TestTheCauseOfTheCheck(t *testing.T) {
	r := serve(t, responder.Options{})
	host := before(t, r, func(w http.ResponseWriter, req *http.Request) bool {
		switch {
		case about(req, "GET", "object-lock"):
			return refuse(w, 404, "ObjectLockConfigurationNotFoundError")
		case about(req, "GET", "list-type"):
			_, _ = io.WriteString(w, "<html><p>Welcome</html>") // the client reads on
			return true
		}
		return false
	})
	got := examine(t.Context(), t, config(host))
	if len(got.Problems) == 0 || !strings.Contains(got.Problems[0], "list does not work") || strings.Contains(strings.Join(got.Problems, " "), "ObjectLock") {
		t.Errorf("%q", got.Problems)
	}
}
