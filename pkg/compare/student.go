package compare

import "math"

// studentTail returns the two-sided tail probability of Student's t with df degrees of freedom: the regularised
// incomplete beta function I_x(df/2, 1/2) at x = df/(df+t²).
func studentTail(t, df float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}
	return incompleteBeta(df/(df+t*t), df/2, 0.5)
}

// StudentQuantile returns the t whose two-sided tail probability is tail (0 < tail < 1).
func StudentQuantile(tail, df float64) float64 {
	low, high := 0.0, 1.0
	for studentTail(high, df) > tail && high < 1e12 {
		high *= 2
	}
	for range 100 {
		mid := (low + high) / 2
		if studentTail(mid, df) > tail {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// incompleteBeta returns I_x(a, b), by the continued fraction DLMF 8.17.22, evaluated from the left (Lentz's method).
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	if x > (a+1)/(a+b+2) { // where the fraction converges slowly: I_x(a,b) = 1 - I_{1-x}(b,a)
		return 1 - incompleteBeta(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	c, d, f := 1.0, 0.0, 1.0
	for i := range 500 {
		m := float64(i / 2)
		num := 1.0
		switch {
		case i == 0:
		case i%2 == 0:
			num = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		default:
			num = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 / nonzero(1+num*d, tiny)
		c = nonzero(1+num/c, tiny)
		f *= c * d
		if math.Abs(c*d-1) < 1e-14 {
			break
		}
	}
	return front * (f - 1)
}

func nonzero(v, tiny float64) float64 {
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}

// normalTail returns the two-sided tail probability of the standard normal distribution.
func normalTail(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// normalQuantile returns the z whose two-sided tail probability is tail.
func normalQuantile(tail float64) float64 { return math.Sqrt2 * math.Erfinv(1-tail) }
