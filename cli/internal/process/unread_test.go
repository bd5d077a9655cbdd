package process

import (
	"strings"
	"testing"
)

// TestUnreadVariables: a variable that was probably meant for warp is told of once.
func TestUnreadVariables(t *testing.T) {
	env := testEnv()
	var told strings.Builder
	env.Stderr = &told
	env.Environ = func() []string {
		return []string{
			"WARP_HOST=h", "WARP_TOKEN=t", "WARP_HTTP_TOKEN=t", "WARP_TEST_HOST=h", "PATH=/bin", "WARPED=1", "WARP_SIZE=1", "WARP_ACCES_KEY=a", "WARP_BUCKET=b",
			"WARP_SERVICE_HOST=h", "WARP_SERVICE_PORT=1", "WARP_SERVICE_PORT_HTTP=1", "WARP_PORT=tcp://h:1", "WARP_PORT_7761_TCP=tcp://h:1",
			"WARP_CLIENT_SERVICE_HOST=h", "WARP_CLIENT_PORT_7761_TCP_PROTO=tcp",
		}
	}
	env.read = map[string]bool{"WARP_SIZE": true}
	env.WarnUnread()
	env.WarnUnread()
	const want = "The variable WARP_ACCES_KEY has no effect (did you mean WARP_ACCESS_KEY?).\nThe variable WARP_BUCKET has no effect.\n"
	if told.String() != want {
		t.Errorf("got\n%swant\n%s", told.String(), want)
	}
}
