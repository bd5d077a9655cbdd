package cli

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/op"
)

// TestSweepFindsServers has a sweep of a server that performs four operations at a time, of random duration, give back both figures within 10 %,
// and the knee where all four become busy.
func TestSweepFindsServers(t *testing.T) {
	testkit.Soak(t)
	const count, mean = 4, 20 * time.Millisecond
	service := func(n uint64) time.Duration {
		return time.Duration(rand.New(rand.NewPCG(n, 1)).ExpFloat64() * float64(mean))
	}
	server, err := responder.New(responder.Options{Keep: true, Rule: responder.Queue(op.Stat, count, service)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	t.Chdir(t.TempDir())
	for name, flags := range map[string][]string{
		"threads": {"--over=threads=1,2,3,4,5,6,8,12,16,24"},
		"rate":    {"--over=rate=10,20,60,100,140,180,220", "--arrivals=poisson"},
	} {
		t.Run(name, func(t *testing.T) {
			env, out := testEnv(append(flags, "--host="+server.Host(), "--access-key=a", "--secret-key=b", "--objects=20", "--obj.size=1KiB",
				"--duration=30s", "--json", "--quiet", "--benchdata="+name)...)
			env.Args = slices.Insert(env.Args, 1, "sweep", "stat")
			if code := Main(env); code != 0 {
				t.Fatalf("exit code %d: %s", code, out.String())
			}
			var report struct {
				Sweep struct {
					Curves []struct {
						Servers struct {
							Count   float64 `json:"count"`
							Service float64 `json:"service_ms"`
						} `json:"servers"`
						Knee struct {
							CI []float64 `json:"ci"`
						} `json:"knee"`
					} `json:"curves"`
				} `json:"sweep"`
			}
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			curve := report.Sweep.Curves[0]
			t.Logf("%+v", curve)
			testkit.Near(t, "servers", curve.Servers.Count, count, 0.1)
			testkit.Near(t, "service time in ms", curve.Servers.Service, 1000*mean.Seconds(), 0.1)
			if ci := curve.Knee.CI; name == "threads" && (len(ci) != 2 || ci[0] > count || ci[1] < count) {
				t.Errorf("the knee lies in %v", ci)
			}
		})
	}
}
