package reports

import (
	"slices"
	"testing"
	"time"

	"warp/cli/internal/flags"
	"warp/cli/internal/process/processtest"
	"warp/pkg/observe"
	"warp/pkg/runinfo"
)

func TestColor(t *testing.T) {
	for _, c := range []struct {
		tty, flag     bool
		noColor, term string
		want          bool
	}{
		{true, false, "", "xterm", true},
		{false, false, "", "xterm", false},
		{true, true, "", "xterm", false},
		{true, false, "1", "xterm", false},
		{true, false, "", "dumb", false},
	} {
		env, _ := processtest.Env()
		env.Getenv = func(name string) string { return map[string]string{"NO_COLOR": c.noColor, "TERM": c.term}[name] }
		if got := (&Printer{Env: &env, Out: flags.Output{NoColor: c.flag}}).Color(c.tty); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestManyClients: without --analyze.v only the first clients have a line each.
func TestManyClients(t *testing.T) {
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	samples := []observe.Sample{{Start: start, Seconds: 10, CPU: &observe.CPU{Cores: 1, AvailableCores: 2, Percent: 50, MaxPercent: 50}}}
	part := runinfo.PartStats{Recording: "one", Self: observe.Summarize(samples, start, start.Add(10*time.Second))}
	crowd := &Report{Info: runinfo.Info{Parts: slices.Repeat([]runinfo.PartStats{part}, 20)}}
	if few, all := crowd.clientLines(false), crowd.clientLines(true); len(few) != maxClients+1 || len(all) != 20 || few[maxClients] != "10 more clients: --analyze.v shows them" {
		t.Errorf("of 20 clients %d lines, or %d: %q", len(few), len(all), few)
	}
}
