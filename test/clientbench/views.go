package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/compare"
)

// view is a way to look at a run.
type view struct {
	name  string
	flags []string
	reads []string // paths of its page; what ends is read again a second later
	full  bool     // on a terminal
}

// viewsOf returns the views; the first and the last are a run that nobody looks at. address is for the page,
// collector takes metrics.
func viewsOf(address, collector, dir string) []view {
	page := "--http=" + address
	return []view{
		{name: "none", flags: []string{"--quiet"}},
		{name: "lines", flags: []string{"--ui=plain"}},
		{name: "whole screen", flags: []string{"--ui=full"}, full: true},
		{name: "live page, one reader", flags: []string{"--quiet", page}, reads: []string{"events"}},
		{name: "Prometheus, each second", flags: []string{"--quiet", page}, reads: []string{"metrics"}},
		{name: "OTLP", flags: []string{"--quiet", "--otlp=" + collector}},
		{name: "remote write", flags: []string{"--quiet", "--remote-write=" + collector}},
		{name: "InfluxDB", flags: []string{"--quiet", "--influxdb=" + collector + "/bucket/org"}},
		{name: "HTML report", flags: []string{"--quiet", "--overwrite", "--html=" + filepath.Join(dir, "report.html")}},
		{name: "none, again", flags: []string{"--quiet"}},
	}
}

// viewCost is how many microseconds of CPU time an operation took with a view.
type viewCost struct {
	view string
	cpu  float64
}

// viewRounds are measurements of all views, by turns.
type viewRounds [][]viewCost

// measure adds a round: GET of 4 KiB with each view in turn.
func (r *viewRounds) measure(b *bench, s *server, size int) error {
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer collector.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return err
	}
	views := viewsOf(address, collector.URL, b.dir)
	costs := make([]viewCost, len(views))
	for n := range views {
		i := (n + len(*r)) % len(views) // another view is the first of each round
		cpu, err := measureView(b, s, size, address, views[i])
		if err != nil {
			return fmt.Errorf("%s: %w", views[i].name, err)
		}
		costs[i] = viewCost{views[i].name, cpu}
	}
	*r = append(*r, costs)
	return nil
}

// print writes the mean of the ratios to a run that nobody looked at in the same round, which is the geometric mean of the
// first and the last one, with its 95% confidence interval. How far these two are apart is the noise of the measurement.
func (r viewRounds) print(out io.Writer) {
	if len(r) == 0 {
		return
	}
	fmt.Fprintf(out, "\nGET 4 KiB with views, CPU us/op, %d rounds:\n", len(r))
	for i, v := range r[0] {
		var costs, ratios []float64
		for _, round := range r {
			costs = append(costs, round[i].cpu)
			ratios = append(ratios, math.Log(round[i].cpu)-(math.Log(round[0].cpu)+math.Log(round[len(round)-1].cpu))/2)
		}
		slices.Sort(costs)
		mean, within := meanInterval(ratios)
		fmt.Fprintf(out, "%-22s %5.2f, %.3f x none (%.3f to %.3f)\n", v.view, costs[len(costs)/2],
			math.Exp(mean), math.Exp(mean-within), math.Exp(mean+within))
	}
}

// meanInterval returns the mean of values, and half the width of its 95% confidence interval by Student's t; infinite for a single value.
func meanInterval(values []float64) (mean, within float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	var squares float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if n < 2 {
		return mean, math.Inf(1)
	}
	return mean, compare.StudentQuantile(0.05, n-1) * math.Sqrt(squares/(n-1)/n)
}

// measureView returns how many microseconds of CPU time an operation takes with a view.
func measureView(b *bench, s *server, size int, address string, v view) (float64, error) {
	a := warpArgs{engine: "lean", kind: "get", contents: "zero", size: size, connections: b.concurrent}
	flags := slices.DeleteFunc(a.flags(s, b), func(f string) bool { return f == "--quiet" })
	cmd := exec.Command(b.warp, append(flags, v.flags...)...)
	cmd.Env = environment()
	if v.full {
		screen, end, err := terminal()
		if err != nil {
			return 0, err
		}
		defer func() { _ = end() }()
		cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
		cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan int, len(v.reads))
	for _, path := range v.reads {
		go func() { done <- readAgain(ctx, "http://"+address+"/"+path) }()
	}
	ops, _, used, _, err := measure(s, a.kind, cmd)
	stop()
	for range v.reads {
		if n := <-done; n == 0 {
			err = errors.Join(err, errors.New("nobody could read"))
		}
	}
	return used / ops, err
}

// readAgain reads a URL each second until the context ends, and returns how often that went well.
func readAgain(ctx context.Context, url string) (n int) {
	for ok := true; ok; ok = clock.Pause(ctx, time.Second) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return n
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			if read, _ := io.Copy(io.Discard, res.Body); read > 0 && res.StatusCode == http.StatusOK {
				n++
			}
			_ = res.Body.Close()
		}
	}
	return n
}
