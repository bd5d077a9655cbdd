package generator

// zipf draws ranks from 1 on with probabilities proportional to rank^-s, by rejection-inversion (Hörmann, Derflinger:
// Rejection-inversion to generate variates from monotone discrete distributions, 1996). It has no tables and takes any s from 0 on:
// the integral of x^-s is inverted, and less than one draw in eight is rejected. The draws of a turn follow from its seed, so that
// any turn can be computed by itself.
type zipf struct {
	s     float64
	first float64 // integral up to 3/2, less the first rank
	near  float64 // ranks so little above the draw are accepted at once
}

func newZipf(s float64) zipf {
	z := zipf{s: s}
	z.first = z.integral(1.5) - 1
	z.near = 2 - z.inverse(z.integral(2.5)-z.density(2))
	return z
}

// density returns x^-s.
func (z *zipf) density(x float64) float64 { return exp(-float64(z.s * log(x))) }

// integral returns the integral of the density from 1 to x.
func (z *zipf) integral(x float64) float64 {
	l := log(x)
	return l * expRatio(float64((1-z.s)*l))
}

// inverse returns the x whose integral is y.
func (z *zipf) inverse(y float64) float64 {
	t := max(-1, float64((1-z.s)*y)) // the limit for s > 1, but for rounding
	if t == -1 {
		return float64(maxZipf)
	}
	return exp(y * logRatio(t))
}

// maxZipf is the largest number of ranks.
const maxZipf = 1 << 50

// last returns the integral up to the end of rank n.
func (z *zipf) last(n uint64) float64 { return z.integral(float64(n) + 0.5) }

// draw returns a rank in [0, n) for a seed; last is last(n).
func (z *zipf) draw(seed, n uint64, last float64) uint64 {
	for try := uint64(0); ; try++ {
		u := last + float64(fraction(Mix(seed, try))*(z.first-last))
		x := z.inverse(u)
		k := min(max(uint64(x+0.5), 1), n)
		if float64(k)-x <= z.near || u >= z.integral(float64(k)+0.5)-z.density(float64(k)) {
			return k - 1
		}
	}
}

// The zipfian generator of YCSB, which it calls scrambled: ranks of ten billion objects, hashed onto those there are.
const (
	ycsbRanks = 10_000_000_000
	ycsbTheta = 0.99
	ycsbZeta  = 26.46902820178302 // sum of rank^-0.99 over all ranks
)

// ycsb draws as YCSB does, with a draw of its own.
type ycsb struct{ eta, second float64 }

func newYCSB() ycsb {
	half := exp(-float64(ycsbTheta * log(2))) // 2^-theta
	power := exp(float64((1 - ycsbTheta) * log(2.0/ycsbRanks)))
	return ycsb{eta: (1 - power) / (1 - (1+half)/ycsbZeta), second: 1 + half}
}

// at returns an object below n for a draw.
func (y *ycsb) at(draw, n uint64) uint64 {
	u := fraction(draw)
	uz := float64(u * ycsbZeta)
	var rank uint64
	switch {
	case uz < 1:
	case uz < y.second:
		rank = 1
	default:
		base := float64(y.eta*u) - y.eta + 1
		rank = uint64(ycsbRanks * exp(float64(log(base)*(1/(1-ycsbTheta)))))
	}
	return fnv(rank) % n
}
