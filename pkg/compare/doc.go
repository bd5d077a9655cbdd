// Package compare decides whether the results of two runs, or of two sets of runs, really differ. It is pure: snapshots
// in, plain data out, the same output for the same input.
//
// # One run against one
//
// The segments of a run are its sample. They are not independent: a slow second tends to follow a slow one, and
// treating them as independent finds differences where there are none. So a run is resampled in blocks of successive
// segments (circular block bootstrap), of a length chosen from the data; see blockLength. Rates are resampled as they
// are; for latency and time to first byte the histograms of the drawn segments are added up and averages and
// percentiles computed anew. That gives a standard error for each metric, on each side by itself. Blocks still cut
// correlations off, most so in short runs, so the error is widened by the theoretical loss for a first-order
// autoregression as persistent as the data; see calibrate. The change is tested on a logarithmic scale with Student's
// t, at the degrees of freedom of the effective, not the nominal, number of segments. In simulations this keeps the
// promised 5% of false claims for 8 to 300 segments with autocorrelation up to 0.6. Plain percentile intervals of the
// same bootstrap do not: with 30 segments of autocorrelation 0.6, every fifth comparison of equal runs is a claim.
//
// Short runs are tested by shorter segments as well, and correlated ones by longer segments; see single.spread. Where
// neighbours remain more correlated than 0.7, their error included, there is no test.
//
// Fewer than eight segments give no claim. Neither do the extremes of a run (fastest and slowest segment, smallest and
// largest latency), because no resample exceeds the largest value.
//
// # Several against several
//
// Runs are independent, so their figures are the sample: Mann-Whitney's U for the p-value, the Hodges-Lehmann estimate
// for the change, with an interval that assumes no distribution. Relative changes are estimated on logarithms, where
// they are shifts. Medians of each side have intervals by order statistics.
//
// # Many metrics
//
// Among many metrics some always seem to change. Throughput, p50 and p99 of each kind of operation (except preparation
// and totals) are primary: their p-values are corrected together by Holm's method, which keeps the probability of any
// false claim among them at 1 - Confidence. Each other metric is corrected as if it stood in for a primary one:
// stricter than by itself, but among many of them some claims may be false. Intervals are not corrected.
package compare
