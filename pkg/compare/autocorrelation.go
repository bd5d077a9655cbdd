package compare

import "math"

// autocovariances returns the autocovariances of a series at lags 0 to maxLag, divided by n at each lag (which keeps them consistent
// with one another).
func autocovariances(z []float64, maxLag int) []float64 {
	n := len(z)
	var avg float64
	for _, v := range z {
		avg += v / float64(n)
	}
	r := make([]float64, maxLag+1)
	for k := range r {
		for i := k; i < n; i++ {
			r[k] += (z[i] - avg) * (z[i-k] - avg)
		}
		r[k] /= float64(n)
	}
	return r
}

// blockLength returns the block length of the circular block bootstrap for a series: the automatic choice of Politis
// and White (Econometric Reviews 23, 2004) as corrected by Patton, Politis and White (28, 2009), but at least the cube
// root of n, since the best length grows in that order, and at most a third of the series, so that there are blocks to
// choose from.
func blockLength(z []float64) int {
	n := len(z)
	least := int(math.Ceil(math.Cbrt(float64(n))))
	highest := max(1, min(int(math.Ceil(3*math.Sqrt(float64(n)))), n/3))
	quiet := max(5, int(math.Ceil(math.Sqrt(math.Log10(float64(n))))))
	maxLag := min(int(math.Ceil(math.Sqrt(float64(n))))+quiet, n-1)
	r := autocovariances(z, maxLag)
	if r[0] <= 0 {
		return min(least, highest)
	}
	// m is the last lag before a stretch of lags that may all be chance.
	limit := 2 * math.Sqrt(math.Log10(float64(n))/float64(n))
	m, run := 0, 0
	for k := 1; k <= maxLag && run < quiet; k++ {
		if math.Abs(r[k]/r[0]) < limit {
			run++
		} else {
			m, run = k, 0
		}
	}
	width := min(2*m, maxLag)
	g0, g1 := r[0], 0.0 // spectral density at 0, and its second derivative's stand-in
	for k := 1; k <= width; k++ {
		w := math.Min(1, 2*(1-float64(k)/float64(width))) // flat-top window
		g0 += 2 * w * r[k]
		g1 += 2 * w * float64(k) * r[k]
	}
	if g0 <= 0 {
		return min(least, highest)
	}
	b := math.Cbrt(1.5*(g1*g1)/(g0*g0)) * math.Cbrt(float64(n)) // (2G²/D)^(1/3) n^(1/3) with D = 4/3 g0²
	return min(max(int(math.Ceil(b)), least), highest)
}

// maxPersistence bounds the fitted autocorrelation: closer to 1 a series is a drift, whose average means nothing.
const maxPersistence = 0.97

// prudence is the number of standard errors that are added to the fitted autocorrelation: too small a value causes false claims,
// too large a one only requires a little more data. With 0.7, by simulation, at most 5% of comparisons of runs that do
// not differ are significant at 95%, with autocorrelations of 0 to 0.6 and 8 to 300 segments; with 0, up to 7%.
const prudence = 0.7

// persistence estimates the autocorrelation from one segment to the next, corrected for the bias of estimating the
// average: about -(1+3ρ)/n (Marriott and Pope, Biometrika 41, 1954). Negative values count as 0, which errs on the side
// of wider intervals.
func persistence(z []float64) float64 {
	r := autocovariances(z, 1)
	if r[0] <= 0 {
		return 0
	}
	n := float64(len(z))
	rho := (n*r[1]/r[0] + 1) / (n - 3)
	if v := 1 - rho*rho; v > 0 {
		rho += prudence * math.Sqrt(v/n)
	}
	return min(max(rho, 0), maxPersistence)
}

// firstLags returns the sum of the autocorrelations at the first lags of a series, an eighth of its length, and their
// number. Each is corrected for the bias of about -1/n of estimating the average. Without any correlation the standard
// error of the sum is about √(lags/n).
func firstLags(z []float64) (sum float64, lags int) {
	n := len(z)
	lags = min(max(2, n/8), n-1)
	r := autocovariances(z, lags)
	if r[0] <= 0 {
		return 0, lags
	}
	for _, v := range r[1:] {
		sum += v/r[0] + 1/float64(n)
	}
	return sum, lags
}

// independent reports whether a series shows no sign of slow variation, which lag 1 may hide below the noise of single requests: the sum
// over several lags is within 1.5 standard errors.
func independent(z []float64) bool {
	sum, lags := firstLags(z)
	return sum <= 1.5*math.Sqrt(float64(lags)/float64(len(z)))
}

// slowness estimates the autocorrelation, from one segment to the next, of what varies slowly in a series that has noise on top, of a
// known variance (0: not known): as where each segment has few requests, so that its percentiles stray by themselves. Noise hides
// slow variation from the autocorrelation at lag 1, but not from the sum over several lags. It returns 0 where that is within two
// standard errors.
func slowness(z []float64, noise float64) float64 {
	sum, lags := firstLags(z)
	if sum < 2*math.Sqrt(float64(lags)/float64(len(z))) {
		return 0
	}
	slow := 1 - min(noise/autocovariances(z, 0)[0], 0.95) // part of the variance that is not noise
	share := sum / float64(lags) / slow
	low, high := 0.0, maxPersistence
	for range 30 {
		if mid := (low + high) / 2; averagePower(mid, lags) < share {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// averagePower returns the mean autocorrelation at the first lags of a first-order autoregression.
func averagePower(rho float64, lags int) (share float64) {
	for k := 1; k <= lags; k++ {
		share += math.Pow(rho, float64(k)) / float64(lags)
	}
	return share
}

// calibrate returns the factor that corrects the block bootstrap's standard error of an average of z, which is too small, and its
// degrees of freedom. Blocks cut correlations off, and deviations are taken from an average that is itself estimated;
// in short series both matter. They are computed for a first-order autoregression with the persistence of z, where
// everything is known: with blocks of length b the bootstrap expects the variance blocked/n, and the true one is
// full/n. The degrees of freedom follow from the effective number of segments or, if fewer, from the bootstrap's
// own variance: it is asymptotically a Bartlett estimate, which strays by 4b/3n of its square.
func calibrate(z []float64, b int) (inflation, df float64) {
	rho, n := persistence(z), len(z)
	full, blocked := 1.0, 1.0
	power := 1.0
	for k := 1; k < n; k++ {
		power *= rho
		full += 2 * (1 - float64(k)/float64(n)) * power
		if k < b {
			wrapped := float64(k) / float64(n)
			blocked += 2 * (1 - float64(k)/float64(b)) * ((1-wrapped)*power + wrapped*math.Pow(rho, float64(n-k)))
		}
	}
	blocked -= full * float64(b) / float64(n)
	effective := float64(n) / full
	return math.Sqrt(max(1, full/max(blocked, full/100))), max(2, min(effective-1, 1.5*float64(n)/float64(b)))
}
