package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/internal/input"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/s3"
)

// prices are what a store bills.
type prices struct {
	Source   string             `json:"source"` // of the figures, with their date
	Currency string             `json:"currency"`
	Requests map[string]float64 `json:"per_1000_requests"` // by class
	Traffic  struct {
		In  float64 `json:"in"`
		Out float64 `json:"out"`
	} `json:"per_gb"`
	Storage float64 `json:"per_gb_month"`

	store   s3.Dialect
	unknown bool // requests are counted by class, without a cost
}

// builtinPrices are public list prices. They change, and differ by region and contract: --prices replaces them.
func builtinPrices() *prices {
	return &prices{
		Source: "list prices of Amazon S3 Standard in us-east-1 as of January 2025 (https://aws.amazon.com/s3/pricing), " +
			"without traffic to the internet; " +
			"they may have changed, and yours may differ: --prices=FILE replaces them",
		Currency: "USD",
		Requests: map[string]float64{"put": 0.005, "get": 0.0004},
		Storage:  0.023,
	}
}

// readPrices returns the prices of a file, or nil without a name.
func readPrices(name string) (*prices, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // the store has its own
	}
	text, err := input.Read(name, input.Short)
	if err != nil {
		return nil, process.UsageErrors(option.Errorf("prices", "%s: %w", name, files.WithoutPath(err)))
	}
	p := &prices{Source: name, Currency: "USD"}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, process.UsageErrors(option.Errorf("prices", "%s: %w", name, err))
	}
	all := append(slices.Collect(maps.Values(p.Requests)), p.Traffic.In, p.Traffic.Out, p.Storage)
	for _, v := range all {
		if !(v >= 0 && v < 1e9) { // also rejects NaN
			return nil, process.UsageErrors(option.Errorf("prices", "%s: invalid price %v (want 0 or more)", name, v))
		}
	}
	return p, nil
}

// at returns the prices of a store: the given ones, else the built-in ones of S3.
func (p *prices) at(store s3.Dialect) (*prices, error) {
	switch {
	case p == nil && store.Name() == s3.StoreS3:
		p = builtinPrices()
	case p == nil:
		p = &prices{unknown: true, Source: "none of " + store.Title() + " are known; --prices=FILE gives yours"}
	}
	own := *p
	own.store = store
	billed := slices.DeleteFunc(slices.Clone(store.Billing().Classes), func(class string) bool { return class == s3.Free })
	for _, class := range slices.Sorted(maps.Keys(p.Requests)) {
		if !slices.Contains(billed, class) {
			return nil, process.UsageErrors(option.Errorf("prices", "per_1000_requests: invalid class %q of requests (want %s)",
				class, option.List(billed...)))
		}
	}
	return &own, nil
}

// gigabyte is the unit that stores bill.
const gigabyte = 1 << 30

// of returns what requests and traffic of an estimate cost.
func (p *prices) of(e *bench.Estimate) (cost float64) {
	for _, r := range e.Requests {
		cost += p.Requests[p.store.Billing().Class(r.Kind)] * float64(r.Count) / 1000
	}
	return cost + (p.Traffic.In*float64(e.Sent)+p.Traffic.Out*float64(e.Received))/gigabyte
}

// classes counts the requests of clients by the class that bills them.
func (p *prices) classes(clients int, list ...bench.Estimate) string {
	counts := map[string]uint64{}
	for i := range list {
		for _, r := range list[i].Requests {
			counts[p.store.Billing().Class(r.Kind)] += r.Count * uint64(clients)
		}
	}
	var parts []string
	for _, class := range p.store.Billing().Classes {
		if n := counts[class]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, class))
		}
	}
	return strings.Join(parts, ", ")
}

// text formats a cost.
func (p *prices) text(cost float64) string {
	if cost > 0 && cost < 1e-5 {
		return "less than 0.00001 " + p.Currency
	}
	digits := 2
	for least := 0.01; digits < 6 && cost > 0 && cost < 10*least; digits++ {
		least /= 10
	}
	return strings.TrimSpace(fmt.Sprintf("%.*f %s", digits, cost, p.Currency))
}
