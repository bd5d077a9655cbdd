package cli

import (
	"fmt"
	"slices"
	"strconv"

	"warp/pkg/bench"
	"warp/pkg/distributed/transport"
)

// forClients completes the plan of a scenario with what it says about the clients that are to perform it.
func forClients(b *benchmark, s *scenario) (err error) {
	if len(b.remote) == 0 || len(s.OnClients) == 0 && !s.Share && s.Divided == "" {
		return nil
	}
	if s.Divided != "" {
		return usageError("%s: run %q: its clients have objects of their own, while other runs have division: share (want it for all runs)", s.name, s.Divided)
	}
	for i := range b.plan.Phases {
		for _, st := range b.plan.Phases[i].Streams() {
			if st.Clients, err = clientNumbers(s.OnClients[st.Name], b.remote); err != nil {
				return usageError("%s: on-clients%s: %w", s.name, inStream(st.Name), err)
			}
		}
	}
	b.plan.SharedData = b.plan.SharedData || s.Share
	if b.compiled, err = bench.Compile(&b.plan); err != nil {
		return usageError("%s: %w", s.name, err)
	}
	return nil
}

// clientsOf returns how many clients perform a stream.
func clientsOf(b *benchmark, stream string) int {
	for i := range b.plan.Phases {
		for _, st := range b.plan.Phases[i].Streams() {
			if st.Name == stream && len(st.Clients) > 0 && len(b.remote) > 0 {
				return len(st.Clients)
			}
		}
	}
	return max(1, len(b.remote))
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
