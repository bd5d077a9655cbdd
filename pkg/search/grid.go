package search

import (
	"math/rand/v2"
	"strings"

	"warp/internal/option"
)

// Grid holds the flags that a sweep varies: one, or two, each value of the first with each of the second.
type Grid []Over

// ParseGrid parses what a sweep varies.
func ParseGrid(texts []string) (Grid, error) {
	if len(texts) == 0 {
		return nil, option.Errorf("over", "missing value (want FLAG=VALUES, as in --over=threads=1,2,4..256)")
	}
	if len(texts) > 2 {
		return nil, option.Errorf("over", "%d flags (want one or two)", len(texts))
	}
	var g Grid
	for _, text := range texts {
		o, err := parseOver(text)
		if err != nil {
			return nil, err
		}
		if len(g) > 0 && g[0].Flag() == o.Flag() {
			return nil, option.Errorf("over", "%s is there twice", o.Name)
		}
		g = append(g, o)
	}
	return g, nil
}

// Flag returns the flag that the name stands for.
func (o *Over) Flag() string {
	if o.Name == "threads" {
		return "concurrent"
	}
	return o.Name
}

// Names returns the flags.
func (g Grid) Names() (list []string) {
	for i := range g {
		list = append(list, g[i].Name)
	}
	return list
}

// Points returns the values of each point: all of the first flag for each of the second.
func (g Grid) Points() (points [][]Value) {
	if len(g) == 1 {
		for _, v := range g[0].Values {
			points = append(points, []Value{v})
		}
		return points
	}
	for _, second := range g[1].Values {
		for _, first := range g[0].Values {
			points = append(points, []Value{first, second})
		}
	}
	return points
}

// PointName returns the name of a point: "threads=4,obj.size=1MiB".
func (g Grid) PointName(values []Value) string {
	var parts []string
	for i, v := range values {
		parts = append(parts, g[i].Name+"="+v.Text)
	}
	return strings.Join(parts, ",")
}

// Order returns the order to measure n points in, repeats times each: numbers from 0; n and above are in the second and later
// rounds. Each round has a random order of its own if the points are shuffled.
func Order(n, repeats int, shuffle bool, seed uint64) (order []int) {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	round := make([]int, n)
	for i := range round {
		round[i] = i
	}
	for k := range repeats {
		if shuffle {
			rng.Shuffle(n, func(i, j int) { round[i], round[j] = round[j], round[i] })
		}
		for _, i := range round {
			order = append(order, k*n+i)
		}
	}
	return order
}
