package scenarios

import (
	"fmt"
	"slices"
	"strconv"

	"warp/cli/internal/process"
	"warp/cli/internal/rules"
	"warp/cli/internal/runs"
	"warp/pkg/bench"
	"warp/pkg/distributed/transport"
)

// forClients completes the plan of a scenario with what it says about the clients that are to perform it.
func forClients(b *runs.Benchmark, s *Scenario) (err error) {
	if len(b.Remote) == 0 || len(s.OnClients) == 0 && !s.Share && s.Divided == "" {
		return nil
	}
	if s.Divided != "" {
		return process.UsageError("%s: run %q: its clients have objects of their own, while other runs have division: share "+
			"(want it for all runs)", s.name, s.Divided)
	}
	for i := range b.Plan.Phases {
		for _, st := range b.Plan.Phases[i].Streams() {
			if st.Clients, err = clientNumbers(s.OnClients[st.Name], b.Remote); err != nil {
				return process.UsageError("%s: on-clients%s: %w", s.name, rules.InStream(st.Name), err)
			}
		}
	}
	b.Plan.SharedData = b.Plan.SharedData || s.Share
	if b.Compiled, err = bench.Compile(&b.Plan); err != nil {
		return process.UsageError("%s: %w", s.name, err)
	}
	return nil
}

// clientsOf returns how many clients perform a stream.
func clientsOf(b *runs.Benchmark, stream string) int {
	for i := range b.Plan.Phases {
		for _, st := range b.Plan.Phases[i].Streams() {
			if st.Name == stream && len(st.Clients) > 0 && len(b.Remote) > 0 {
				return len(st.Clients)
			}
		}
	}
	return max(1, len(b.Remote))
}

// clientNumbers returns the numbers, from 0, of clients that are named by their numbers from 1 or by their addresses.
func clientNumbers(names, clients []string) (list []uint64, err error) {
	for _, name := range names {
		i := slices.Index(clients, transport.WithPort(name))
		if n, err := strconv.Atoi(name); err == nil {
			i = n - 1
		}
		switch {
		case i < 0 || i >= len(clients):
			return nil, fmt.Errorf("no client %q (want a number from 1 to %d, or an address of --warp-client)", name, len(clients))
		case slices.Contains(list, uint64(i)):
			return nil, fmt.Errorf("client %q is named twice", name)
		}
		list = append(list, uint64(i))
	}
	return list, nil
}
