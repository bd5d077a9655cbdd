package generator

import "math"

// Exponential and logarithm for the distributions of this package. The standard library's differ in the last bit between
// architectures, and compilers may fuse x*y + z; a conversion prevents that. So every client computes the same size of an object.

// ln 2 in two parts. The first one has enough zero bits that its product with an exponent is exact.
const (
	ln2High = 0x1.62e42feep-01
	ln2Low  = 0x1.a39ef35793c76p-33
)

// exp returns e^x.
func exp(x float64) float64 {
	switch {
	case x > 709:
		return math.Inf(1)
	case x < -745:
		return 0
	}
	k := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	y := 1 + float64(r*expSeries(r))
	if k > -1022 && k < 1024 {
		return y * math.Float64frombits(uint64(int64(k)+1023)<<52)
	}
	return math.Ldexp(y, int(k))
}

// expSeries returns (e^x - 1) / x for |x| <= 1/2. Even and odd powers are two chains, which a processor computes at once.
func expSeries(x float64) float64 {
	z := float64(x * x)
	even, odd := 1.0/1307674368000, 1.0/87178291200
	even = 1.0/6227020800 + float64(z*even)
	odd = 1.0/479001600 + float64(z*odd)
	even = 1.0/39916800 + float64(z*even)
	odd = 1.0/3628800 + float64(z*odd)
	even = 1.0/362880 + float64(z*even)
	odd = 1.0/40320 + float64(z*odd)
	even = 1.0/5040 + float64(z*even)
	odd = 1.0/720 + float64(z*odd)
	even = 1.0/120 + float64(z*even)
	odd = 1.0/24 + float64(z*odd)
	even = 1.0/6 + float64(z*even)
	odd = 1.0/2 + float64(z*odd)
	return 1 + (float64(z*even) + float64(x*odd))
}

// expRatio returns (e^x - 1) / x, 1 at 0.
func expRatio(x float64) float64 {
	if math.Abs(x) < 0.5 {
		return expSeries(x)
	}
	return (exp(x) - 1) / x
}

// log returns the natural logarithm of x, which is positive, finite and no denormal.
func log(x float64) float64 {
	bits := math.Float64bits(x)
	k := int64(bits>>52) - 1022
	f := math.Float64frombits(bits&^(0x7ff<<52) | 1022<<52) // x = f * 2^k, 1/2 <= f < 1
	if f < math.Sqrt2/2 {
		f, k = 2*f, k-1
	}
	s := (f - 1) / (f + 1)
	return float64(float64(k)*ln2High) + (float64(float64(k)*ln2Low) + 2*float64(s*atanhSeries(s)))
}

// logRatio returns ln(1+x) / x, 1 at 0.
func logRatio(x float64) float64 {
	if math.Abs(x) >= 0.3 {
		return log(1+x) / x
	}
	s := x / (2 + x)
	return 2 / (2 + x) * atanhSeries(s)
}

// atanhSeries returns atanh(s) / s for |s| <= 0.18.
func atanhSeries(s float64) float64 {
	z := float64(s * s)
	w := float64(z * z)
	even, odd := 1.0/21, 1.0/23
	even = 1.0/17 + float64(w*even)
	odd = 1.0/19 + float64(w*odd)
	even = 1.0/13 + float64(w*even)
	odd = 1.0/15 + float64(w*odd)
	even = 1.0/9 + float64(w*even)
	odd = 1.0/11 + float64(w*odd)
	even = 1.0/5 + float64(w*even)
	odd = 1.0/7 + float64(w*odd)
	even = 1 + float64(w*even)
	odd = 1.0/3 + float64(w*odd)
	return even + float64(z*odd)
}

// fraction returns a draw in (0, 1), with 53 bits.
func fraction(draw uint64) float64 { return (float64(draw>>12) + 0.5) / (1 << 52) }
