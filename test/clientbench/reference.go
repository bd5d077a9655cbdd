package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"warp/pkg/op"
	"warp/pkg/recording"
)

// referenceSource is the client in C that warp is compared with.
//
//go:embed reference/client.c
var referenceSource []byte

// loadCase is a load that warp and the reference perform by turns.
type loadCase struct {
	rate        int // operations per second; 0: a closed loop
	connections int
}

func (c loadCase) String() string {
	if c.rate == 0 {
		return fmt.Sprintf("closed loop, %d connections", c.connections)
	}
	return fmt.Sprintf("%d/s", c.rate)
}

// figures are what a client has of a load, in microseconds.
type figures struct {
	Rate      float64 `json:"rate"`
	Late50    float64 `json:"late50"`
	Late99    float64 `json:"late99"`
	Service50 float64 `json:"service50"`
	Service99 float64 `json:"service99"`
	CPU       float64 `json:"cpu"` // of an operation, while measuring
}

// fields are the figures that the table has.
var fields = []struct {
	name string
	of   func(*figures) float64
}{
	{"op/s", func(f *figures) float64 { return f.Rate }},
	{"late 50%", func(f *figures) float64 { return f.Late50 }},
	{"99%", func(f *figures) float64 { return f.Late99 }},
	{"service 50%", func(f *figures) float64 { return f.Service50 }},
	{"99%", func(f *figures) float64 { return f.Service99 }},
	{"CPU", func(f *figures) float64 { return f.CPU }},
}

// referenceRounds are the figures of all rounds, by load and client.
type referenceRounds map[loadCase]map[string][]figures

// referenceClients are the clients, the reference first.
var referenceClients = []string{"C", "warp, loops", "warp, goroutines"}

// measure adds a round: each load with each client in turn, another one first in each round.
func (r referenceRounds) measure(b *bench, s *server, size int) error {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		fmt.Fprintln(b.out, "cc is not installed; the reference client in C is left out")
		return nil
	}
	program := filepath.Join(b.dir, "reference")
	build := exec.Command(compiler, "-O2", "-x", "c", "-o", program, "-")
	build.Stdin = strings.NewReader(string(referenceSource))
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	for _, c := range b.loads {
		if r[c] == nil {
			r[c] = map[string][]figures{}
		}
		rounds := len(r[c][referenceClients[0]])
		for n := range referenceClients {
			client := referenceClients[(n+rounds)%len(referenceClients)]
			var f figures
			if client == referenceClients[0] {
				f, err = b.runReference(program, s, c)
			} else {
				f, err = b.runLoad(s, size, c, strings.HasSuffix(client, "goroutines"))
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c, client, err)
			}
			r[c][client] = append(r[c][client], f)
		}
	}
	return nil
}

// runReference runs the client in C.
func (b *bench) runReference(program string, s *server, c loadCase) (f figures, err error) {
	address, port, err := net.SplitHostPort(s.host)
	if err != nil {
		return f, err
	}
	args := []string{
		program, address, port, "/bucket/object", strconv.Itoa(c.connections),
		strconv.FormatFloat(b.duration.Seconds(), 'f', -1, 64), strconv.Itoa(c.rate),
	}
	if b.realtime {
		args = append([]string{"chrt", "-f", "20"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = b.out
	text, err := cmd.Output()
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}

// runLoad runs warp, and reads its recording.
func (b *bench) runLoad(s *server, size int, c loadCase, goroutines bool) (f figures, err error) {
	a := warpArgs{engine: "lean", kind: "get", contents: "zero", size: size, connections: c.connections}
	flags := a.flags(s, b)
	if c.rate > 0 {
		flags = slices.DeleteFunc(flags, func(f string) bool { return strings.HasPrefix(f, "--concurrent") })
		flags = append(flags, fmt.Sprintf("--rate=%d", c.rate), fmt.Sprintf("--max-inflight=%d", c.connections))
	}
	switch {
	case goroutines:
		flags = append(flags, "--executor=goroutines")
	case b.realtime:
		flags = append(flags, "--realtime")
	}
	cmd := exec.Command(b.warp, flags...)
	cmd.Env = environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		return f, fmt.Errorf("warp %s: %w\n%s", strings.Join(flags, " "), err, out)
	}
	name := filepath.Join(b.dir, "recording.csv.zst")
	if f, err = recorded(name); err != nil {
		return f, err
	}
	text, err := exec.Command(b.warp, "analyze", "--json", name).Output()
	if err != nil {
		return f, err
	}
	var report struct {
		Client struct {
			Summary struct {
				CPU struct {
					Cores float64 `json:"cores"`
				} `json:"cpu"`
			} `json:"summary"`
		} `json:"client"`
	}
	err = json.Unmarshal(text, &report)
	f.CPU = report.Client.Summary.CPU.Cores * 1e6 / f.Rate
	return f, err
}

// recorded computes the figures of a recording.
func recorded(name string) (f figures, err error) {
	file, err := os.Open(name)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in, err := recording.NewReader(file, name)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	var late, service []float64
	var first, last time.Time
	for in.Scan() {
		o := in.Op()
		if o.Kind != op.Get || o.Phase == op.PhasePrepare {
			continue
		}
		if first.IsZero() || o.Start.Before(first) {
			first = o.Start
		}
		if o.End.After(last) {
			last = o.End
		}
		service = append(service, micros(o.End.Sub(o.Start)))
		if !o.Due.IsZero() {
			late = append(late, micros(o.Start.Sub(o.Due)))
		}
	}
	slices.Sort(late)
	slices.Sort(service)
	f.Rate = float64(len(service)) / last.Sub(first).Seconds()
	f.Late50, f.Late99 = percentile(late, 0.5), percentile(late, 0.99)
	f.Service50, f.Service99 = percentile(service, 0.5), percentile(service, 0.99)
	return f, in.Err()
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// percentile returns a percentile of a sorted list; 0 if it is empty.
func percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(p*float64(len(sorted)-1))]
}

// print writes medians of all rounds, and medians of the ratios to the reference in the same round.
func (r referenceRounds) print(out io.Writer, loads []loadCase) {
	if len(r) == 0 {
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "load\tclient\t")
	for _, f := range fields {
		fmt.Fprintf(w, "%s\tx C\t", f.name)
	}
	fmt.Fprintln(w)
	for _, c := range loads {
		for _, client := range referenceClients {
			fmt.Fprintf(w, "%s\t%s\t", c, client)
			for i := range fields {
				f := &fields[i]
				var values, ratios []float64
				for k := range r[c][client] {
					one, reference := f.of(&r[c][client][k]), f.of(&r[c][referenceClients[0]][k])
					values, ratios = append(values, one), append(ratios, one/reference)
				}
				slices.Sort(values)
				slices.Sort(ratios)
				if values[0] == 0 {
					fmt.Fprint(w, "-\t-\t")
					continue
				}
				fmt.Fprintf(w, "%.1f\t%.2f\t", percentile(values, 0.5), percentile(ratios, 0.5))
			}
			fmt.Fprintln(w)
		}
	}
	_ = w.Flush() // to the terminal
}

// parseLoads parses rates; 0 is a closed loop.
func parseLoads(text string) (loads []loadCase, err error) {
	for word := range strings.SplitSeq(text, ",") {
		rate, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		c := loadCase{rate, 64}
		if rate == 0 {
			c.connections = 20
		}
		loads = append(loads, c)
	}
	return loads, nil
}
