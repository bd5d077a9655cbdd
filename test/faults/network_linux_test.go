package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"warp/pkg/op"
	"warp/pkg/recording"
)

// farm is a network with a coordinator, as host 1, and clients, from host 2 on. All reach the store undisturbed.
type farm struct {
	*scene
	wire    *wire
	prefix  []string // of the coordinator
	clients []*client
	addrs   string
	host    string
}

func newFarm(t *testing.T, clients int) *farm {
	f := &farm{wire: newWire(t)}
	f.scene = &scene{t: t, store: startStore(t), token: tokenFile(t), dir: t.TempDir()}
	f.host = f.wire.serve(f.store.Server)
	f.prefix = f.wire.namespace(1)
	for i := range clients {
		host := i + 2
		c := startClient(t, f.token, f.wire.namespace(host), fmt.Sprintf("%s:7761", f.wire.addr(host)))
		f.clients = append(f.clients, c)
		f.addrs += "," + c.addr
	}
	f.addrs = f.addrs[1:]
	return f
}

// benchmark starts a run on all clients.
func (f *farm) benchmark(length string) {
	f.coordinator = start(f.t, "coordinator", f.dir, []string{"WARP_HOST=" + f.host, "WARP_ACCESS_KEY=access", "WARP_SECRET_KEY=secret"}, f.prefix,
		"get", "--objects=50", "--duration="+length, "--warp-client="+f.addrs, "--token-file="+f.token, "--bucket="+bucket, "--obj.size=1KiB",
		"--concurrent=2", "--benchdata=all")
}

// away cuts the way between the coordinator and a client, or heals it.
func (f *farm) away(client int, cut bool) { f.wire.set(1, client+2, func(p *path) { p.cut = cut }) }

// whole compares the recording of all with the clients' own, and checks that nothing is left.
func (f *farm) whole() {
	f.t.Helper()
	sum := 0
	for _, c := range f.clients {
		sum += count(recordings(f.t, c.dir, false))
	}
	if all := count(recordings(f.t, f.dir, false)); all != sum || all == 0 {
		f.t.Errorf("%d operations in the recording of all, %d in the clients' own", all, sum)
	}
	if left := f.store.keys(); len(left) > 0 {
		f.t.Errorf("%d objects are left", len(left))
	}
}

// clock is what a client's recording says about its clock.
func (f *farm) clock(client int) (offset, rtt time.Duration) {
	f.t.Helper()
	files, _ := filepath.Glob(filepath.Join(f.clients[client].dir, "*.csv.zst"))
	if len(files) != 1 {
		f.t.Fatalf("the client has the recordings %q", files)
	}
	in, err := os.Open(files[0])
	if err != nil {
		f.t.Fatal(err)
	}
	defer in.Close()
	r, err := recording.NewReader(in, files[0])
	if err != nil {
		f.t.Fatal(err)
	}
	defer r.Close()
	var config struct {
		Client struct {
			Offset time.Duration `json:"clock_offset_ns"`
			RTT    time.Duration `json:"clock_rtt_ns"`
		} `json:"client"`
	}
	if err := json.Unmarshal(r.Header().Config, &config); err != nil {
		f.t.Fatal(err)
	}
	return config.Client.Offset, config.Client.RTT
}

// first is when a client began its benchmark, on the one clock that all have here.
func (f *farm) first(client int) time.Time {
	return began(f.t, f.clients[client].dir)[0]
}

// began is when the clients in a directory's recordings began the benchmark itself, the earliest first.
func began(t *testing.T, dir string) []time.Time {
	t.Helper()
	firsts := map[string]time.Time{}
	for _, o := range recordings(t, dir, false) {
		if first, ok := firsts[o.Client]; o.Phase != op.PhasePrepare && (!ok || o.Start.Before(first)) {
			firsts[o.Client] = o.Start
		}
	}
	if len(firsts) == 0 {
		t.Fatalf("no benchmark is recorded in %s", dir)
	}
	return slices.SortedFunc(maps.Values(firsts), time.Time.Compare)
}

// TestNetworks has networks between coordinator and clients that are slow, lose packets, and break. All go on at the same
// time, since most of them wait for the 20 seconds of silence after which a connection is lost, and the grace after that.
func TestNetworks(t *testing.T) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for name, test := range map[string]func(*testing.T){
		"slow and lossy": slowAndLossy, "one way slow": oneWaySlow, "short break": shortBreak, "break and heal": breakAndHeal,
		"one away for good": oneAway, "coordinator away for good": allAway,
	} {
		wg.Go(func() { t.Run(name, test) })
	}
}

// slowAndLossy has 50 ms of delay and 5 % loss each way: everything works, and nothing is missing.
func slowAndLossy(t *testing.T) {
	f := newFarm(t, 3)
	for i := range f.clients {
		f.wire.set(1, i+2, func(p *path) { p.delay, p.loss = 50*time.Millisecond, 0.05 })
	}
	f.benchmark("5s")
	f.coordinator.ends(0)
	f.expect("^Clients: 3 of 3, ")
	f.whole()
	for i := range f.clients {
		offset, rtt := f.clock(i)
		if rtt < 100*time.Millisecond || offset.Abs() > rtt/2 {
			t.Errorf("client %d: a clock that is right is off by %v, with a round trip of %v", i, offset, rtt)
		}
		there, back := f.wire.path(f.wire.addr(1), f.wire.addr(i+2)), f.wire.path(f.wire.addr(i+2), f.wire.addr(1))
		t.Logf("client %d: lost %d of %d packets there and %d of %d back; offset %v, round trip %v", i,
			there.lost.Load(), there.lost.Load()+there.passed.Load(), back.lost.Load(), back.lost.Load()+back.passed.Load(), offset, rtt)
		if there.lost.Load()+back.lost.Load() == 0 {
			t.Error("the network lost nothing, so the test tests nothing")
		}
	}
}

// oneWaySlow delays the way there and not the way back, which no measurement of clocks by messages can see: the error is
// half of the difference, and never more than the half of the round trip that is promised.
func oneWaySlow(t *testing.T) {
	f := newFarm(t, 2)
	f.wire.set(1, 2, func(p *path) { p.delay = 60 * time.Millisecond })
	f.wire.oneWay(1, 3, func(p *path) { p.delay = 120 * time.Millisecond })
	f.benchmark("2s")
	f.coordinator.ends(0)
	f.whole()
	even, evenRTT := f.clock(0)
	uneven, unevenRTT := f.clock(1)
	late := f.first(1).Sub(f.first(0))
	t.Logf("even: offset %v, round trip %v; uneven: offset %v, round trip %v, begins %v later", even, evenRTT, uneven, unevenRTT, late)
	// All clocks are the same, and what is known of the ways bounds the error, however long a message waited on top.
	const delay, drift = 120 * time.Millisecond, time.Millisecond // of each way and back
	if evenRTT < delay || even.Abs() > (evenRTT-delay)/2+drift {
		t.Errorf("with the same delay both ways, the offset is %v and the round trip %v", even, evenRTT)
	}
	if uneven < delay-unevenRTT/2-drift || uneven > unevenRTT/2+drift {
		t.Errorf("with 120 ms in one way, the offset is %v and the round trip %v", uneven, unevenRTT)
	}
	// The clients begin as far apart as the coordinator says.
	text := regexp.MustCompile(`start skew (\S+)`).FindStringSubmatch(f.coordinator.out.String())
	if text == nil {
		t.Fatal("the coordinator does not say how far apart the clients began")
	}
	skew, err := time.ParseDuration(text[1])
	if err != nil {
		t.Fatal(err)
	}
	all := began(t, f.dir)
	if want := all[len(all)-1].Sub(all[0]); len(all) != 2 || (skew-want).Abs() > want/100+time.Microsecond {
		t.Errorf("the coordinator says that clients began %v apart, by the recording of all it was %v", skew, want)
	}
	// In truth what is not known of their clocks comes on top.
	if late.Abs() > (unevenRTT+evenRTT)/2+skew {
		t.Errorf("clients begin %v apart, with round trips of %v and %v, and %v by their clocks", late, unevenRTT, evenRTT, skew)
	}
}

// shortBreak breaks the network for a time that TCP gets over: nothing is lost.
func shortBreak(t *testing.T) {
	f := newFarm(t, 2)
	f.benchmark("20s")
	f.reach(measuring)
	f.away(1, true)
	time.Sleep(5 * time.Second)
	f.away(1, false)
	f.coordinator.ends(0)
	f.expect("^Clients: 2 of 2, ")
	f.whole()
}

// breakAndHeal breaks the network for so long that the connection is lost: the client goes on, comes back, and hands over.
func breakAndHeal(t *testing.T) {
	f := newFarm(t, 2)
	f.benchmark("40s")
	f.reach(measuring)
	f.away(1, true)
	f.coordinator.says("^Lost the connection to client " + f.clients[1].addr)
	f.away(1, false)
	f.coordinator.says("^Client " + f.clients[1].addr + " is back after")
	f.coordinator.ends(0)
	f.expect("^Clients: 2 of 2, ", `was lost from second \d+ to \d+; it went on measuring`)
	f.whole()
}

// oneAway breaks the network to one client for good: the run goes on without it, and it cleans up by itself.
func oneAway(t *testing.T) {
	f := newFarm(t, 2)
	f.benchmark("20s")
	f.reach(measuring)
	f.away(1, true)
	f.coordinator.ends(5)
	f.expect("^Clients: 1 of 2, ", `the connection was lost from second \d+ on`, "unless it still runs")
	if reason := f.clients[1].over(); reason == "" {
		t.Error("the client that is away does not say why its run is over")
	}
	if n := count(recordings(t, f.clients[1].dir, false)); n == 0 {
		t.Error("the client that is away recorded nothing")
	}
	if left := f.store.keys(); len(left) > 0 {
		t.Errorf("%d objects are left", len(left))
	}
}

// allAway takes the coordinator's network away: all clients stop, clean up and keep their recordings.
func allAway(t *testing.T) {
	f := newFarm(t, 2)
	f.benchmark("1h")
	f.reach(measuring)
	f.wire.ip(f.wire.names[0], "link", "set", f.wire.device(1), "down")
	f.coordinator.ends(1)
	f.expect("no client handed over results")
	for i, c := range f.clients {
		c.over()
		if n := count(recordings(t, c.dir, false)); n == 0 {
			t.Errorf("client %d recorded nothing", i)
		}
	}
	if left := f.store.keys(); len(left) > 0 {
		t.Errorf("%d objects are left", len(left))
	}
}
