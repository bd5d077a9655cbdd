package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"warp/cli/internal/files"
	"warp/cli/internal/process"
	"warp/internal/input"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/op"
)

// prices are what a store bills.
type prices struct {
	Source   string `json:"source"` // of the figures, with their date
	Currency string `json:"currency"`
	Requests struct {
		Put    float64 `json:"put"` // uploads, copies and listings
		Get    float64 `json:"get"` // downloads and all others
		Delete float64 `json:"delete"`
	} `json:"per_1000_requests"`
	Traffic struct {
		In  float64 `json:"in"`
		Out float64 `json:"out"`
	} `json:"per_gb"`
	Storage float64 `json:"per_gb_month"`
}

// builtinPrices are public list prices. They change, and differ by region and contract: --prices replaces them.
func builtinPrices() *prices {
	p := &prices{
		Source: "list prices of Amazon S3 Standard in us-east-1 as of January 2025 (https://aws.amazon.com/s3/pricing), " +
			"without traffic to the internet; " +
			"they may have changed, and yours may differ: --prices=FILE replaces them",
		Currency: "USD", Storage: 0.023,
	}
	p.Requests.Put, p.Requests.Get = 0.005, 0.0004
	return p
}

// readPrices returns the prices of a file, or the built-in ones without a name.
func readPrices(name string) (*prices, error) {
	if name == "" {
		return builtinPrices(), nil
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
	for _, v := range []float64{p.Requests.Put, p.Requests.Get, p.Requests.Delete, p.Traffic.In, p.Traffic.Out, p.Storage} {
		if !(v >= 0 && v < 1e9) { // also rejects NaN
			return nil, process.UsageErrors(option.Errorf("prices", "%s: invalid price %v (want 0 or more)", name, v))
		}
	}
	return p, nil
}

// gigabyte is the unit that stores bill.
const gigabyte = 1 << 30

// of returns what requests and traffic of an estimate cost.
func (p *prices) of(e *bench.Estimate) (cost float64) {
	for _, r := range e.Requests {
		cost += p.request(r.Kind) * float64(r.Count) / 1000
	}
	return cost + (p.Traffic.In*float64(e.Sent)+p.Traffic.Out*float64(e.Received))/gigabyte
}

// request returns the price of a thousand requests of a kind.
func (p *prices) request(k op.Kind) float64 {
	switch f, _ := k.Facts(); f.Price {
	case op.PricePut:
		return p.Requests.Put
	case op.PriceDelete:
		return p.Requests.Delete
	}
	return p.Requests.Get
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
