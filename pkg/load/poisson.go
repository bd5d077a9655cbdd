package load

import (
	"math"
	"math/rand/v2"
	"sync"
)

// Sizes of the levels of a process: a run of gaps, a block of runs, a group of blocks.
const (
	runGaps     = 16
	blockRuns   = 64
	blockGaps   = blockRuns * runGaps
	groupBlocks = 1 << 10
	groupGaps   = groupBlocks * blockGaps
	maxGaps     = 1 << 44 // more than any load has
)

// process is a Poisson process of rate 1: independent exponential gaps between arrivals, as a function of a seed and the number
// of the arrival. So each client finds its own arrivals, and any of them is found without those before it. The sum of many gaps
// has a gamma distribution, and what share each of them has in the sum is independent of the sum: so the length of a group is
// drawn first, then of its blocks, then of the runs of a block, and then the gaps of a run. So a client with one arrival in
// many draws no gaps of runs without any of them.
type process struct {
	seed uint64

	mu     sync.Mutex
	source rand.PCG
	rng    *rand.Rand
	group  uint64 // whose blocks are known
	start  float64
	blocks [groupBlocks + 1]float64 // when they begin
	block  uint64                   // whose runs are known, of all
	runs   [blockRuns + 1]float64   // when they begin, from the beginning of the block

	key      uint64           // of the random numbers of gaps
	run      uint64           // whose gaps are known
	products [runGaps]float64 // the exponentials of minus the ends of its gaps
	whole    float64          // minus the end of the last one
}

func newProcess(seed uint64) *process {
	p := &process{seed: seed, key: mixed(seed ^ drawGaps<<62)}
	p.rng = rand.New(&p.source)
	p.loadGroup(0)
	p.loadBlock(0)
	p.run = math.MaxUint64
	return p
}

// at returns the time of arrival n, from 0.
func (p *process) at(n uint64) float64 {
	if n >= maxGaps {
		return float64(n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := n / blockGaps; b != p.block {
		if g := n / groupGaps; g != p.group {
			p.loadGroup(g)
		}
		p.loadBlock(b)
	}
	r := n / runGaps
	from, to := p.runs[r%blockRuns], p.runs[r%blockRuns+1]
	return p.blocks[n/blockGaps%groupBlocks] + from + (to-from)*p.gaps(r, int(n%runGaps)+1)
}

// Levels of draws, which have streams of random numbers of their own.
const (
	drawGroup uint64 = iota
	drawBlocks
	drawRuns
	drawGaps
)

// draw begins the stream of random numbers of one item of a level.
func (p *process) draw(level, i uint64) {
	p.source.Seed(p.seed, level<<62|i)
	p.source.Uint64() // near seeds differ little at first
	p.source.Uint64()
}

// loadGroup finds the blocks of a group, which are in proportion to gamma variates.
func (p *process) loadGroup(g uint64) {
	from, start := p.group, p.start
	if g < from {
		from, start = 0, 0
	}
	for ; from < g; from++ {
		start += p.length(from)
	}
	p.group, p.start = g, start
	length := p.length(g)
	p.draw(drawBlocks, g)
	sum := 0.0
	for i := range groupBlocks {
		p.blocks[i] = sum
		sum += p.gamma(blockGaps)
	}
	p.blocks[groupBlocks] = sum
	for i := range p.blocks {
		p.blocks[i] = start + p.blocks[i]/sum*length
	}
}

// length returns the length of a group.
func (p *process) length(g uint64) float64 {
	p.draw(drawGroup, g)
	return p.gamma(groupGaps)
}

// loadBlock finds the runs of a block of the group that is known.
func (p *process) loadBlock(b uint64) {
	p.block = b
	p.draw(drawRuns, b)
	sum := 0.0
	for i := range blockRuns {
		p.runs[i] = sum
		sum += p.gamma(runGaps)
	}
	p.runs[blockRuns] = sum
	i := b % groupBlocks
	scale := (p.blocks[i+1] - p.blocks[i]) / sum
	for i := range p.runs {
		p.runs[i] *= scale
	}
}

// gaps returns the share of the first n gaps of a run in its length: sums of exponential gaps are logarithms of products.
func (p *process) gaps(run uint64, n int) float64 {
	if n == runGaps {
		return 1
	}
	if run != p.run {
		p.run = run
		product, counter := 1.0, p.key+run*runGaps*weyl
		for i := range p.products {
			counter += weyl
			product *= fraction(mixed(counter))
			p.products[i] = product
		}
		p.whole = math.Log(product)
	}
	return math.Log(p.products[n-1]) / p.whole
}

// gamma returns a gamma variate of a shape above 1 (Marsaglia, Tsang: A simple method for generating gamma variables, 2000).
func (p *process) gamma(shape float64) float64 {
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := p.rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		u := 1 - p.rng.Float64()                                             // of (0, 1], so that the logarithm is finite
		if u < 1-0.0331*x*x*x*x || math.Log(u) < x*x/2+d-d*v+d*math.Log(v) { // most need no logarithms
			return d * v
		}
	}
}
