package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warp/cli/internal/process"
	"warp/pkg/op"
)

// serveRuns starts a client in this process, and waits for the address where it waits for a coordinator.
func serveRuns(t *testing.T, args ...string) (s *served, address string) {
	t.Helper()
	env, _ := testEnv(append(append([]string{"client"}, args...), "127.0.0.1:0")...)
	env.Signals = make(chan os.Signal, 4)
	s = &served{t: t, screen: &buffer{}, code: make(chan int, 1), env: env}
	s.env.Stderr = s.screen
	go func() { s.code <- Main(s.env) }()
	waiting := regexp.MustCompile(`Waiting for a coordinator on (\S+:\d+)\.`)
	s.wait("its port", func() bool { return waiting.MatchString(s.screen.String()) })
	return s, waiting.FindStringSubmatch(s.screen.String())[1]
}

// clientHere starts a client that ends with the test, and returns its address.
func clientHere(t *testing.T) string {
	t.Helper()
	s, address := serveRuns(t)
	t.Cleanup(func() {
		s.env.Signals <- os.Interrupt
		<-s.code
	})
	return address
}

// TestCoordinatorPage: the page and the metrics of a coordinator have what its clients do, and at the end what its report says.
func TestCoordinatorPage(t *testing.T) {
	server := startStore(t)
	clients := clientHere(t) + "," + clientHere(t)
	env, _ := testEnv("mixed", "--warp-client="+clients, "--host="+server.Host(), "--access-key=a", "--secret-key=b", "--objects=20", "--obj.size=4KiB", "--concurrent=2", "--think=2ms", "--duration=10h", "--http=:0", "--http-linger=1h", "--stress")
	env.Signals = make(chan os.Signal, 4)
	s := &served{t: t, screen: &buffer{}, code: make(chan int, 1), env: env}
	env.Stderr = s.screen
	go func() { s.code <- Main(env) }()
	s.address()
	next := s.frames()
	s.wait("charts", func() bool {
		f, ok := next()
		return ok && slices.ContainsFunc(f.Charts, func(c chartRow) bool { return c.Op == string(op.Get) && len(c.P50) > 2 })
	})
	ended := regexp.MustCompile(`warp_requests_total\{[^}]*op="(\w+)",stage="benchmark",status="\d+"\} (\d+)\n`)
	if text := s.get("metrics"); !ended.MatchString(text) || !strings.Contains(text, "warp_response_seconds_bucket") {
		t.Errorf("metrics while it goes on: %s", text)
	}
	stop, _ := http.NewRequest("POST", s.url+"stop", nil)
	stop.Header.Set("X-Warp-Request", "stop")
	res, err := http.DefaultClient.Do(stop)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	s.wait("end of the run", func() bool { return strings.Contains(s.screen.String(), "for 1h0m0s more") })
	var report struct{ Operations []operationRow }
	if err := json.Unmarshal([]byte(s.get("api/v1/snapshot")), &report); err != nil {
		t.Fatal(err)
	}
	counted := map[string]int64{}
	for _, m := range ended.FindAllStringSubmatch(s.get("metrics"), -1) {
		n, _ := strconv.ParseInt(m[2], 10, 64)
		counted[m[1]] += n
	}
	measured := 0
	for _, o := range report.Operations {
		if o.Phase == op.PhasePrepare {
			continue
		}
		measured++
		if counted[o.Op] != o.Requests || o.Requests == 0 {
			t.Errorf("%s: %d requests in the metrics, %d in the report", o.Op, counted[o.Op], o.Requests)
		}
	}
	if measured != 4 {
		t.Errorf("%d kinds of operations in the report: %+v", measured, report.Operations)
	}
	env.Signals <- os.Interrupt
	if code := <-s.code; code != process.ExitInterrupted {
		t.Errorf("exit code %d: %s", code, s.screen.String())
	}
}
