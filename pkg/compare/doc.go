// Package compare says whether what two runs, or two sets of runs, measured really differs. It is pure: snapshots in,
// plain data out, always the same for the same input.
//
// # One run against one
//
// The segments of a run are its sample. They are not independent: a slow second tends to follow a slow one, and treating
// them as independent finds differences where there are none. So a run is resampled in blocks of successive segments
// (circular block bootstrap), of a length chosen from the data; see blockLength. Rates are resampled as they are;
// for latencies and times to first byte the histograms of the drawn segments are added up and averages and percentiles
// computed anew. That gives a standard error for each metric, on each side by itself. Blocks still cut correlations off,
// most so in short runs, so the error is widened by what theory says that a first-order autoregression as persistent as
// the data loses; see calibrate.
// The change is tested on the scale of logarithms with Student's t, at the degrees of freedom of the effective, not the
// nominal, number of segments. By simulation this keeps to the 5 % of false claims that it promises, for 8 to 300 segments
// of autocorrelation up to 0.6. Plain percentile intervals of the same bootstrap do not: with 30 segments of
// autocorrelation 0.6 every fifth comparison of runs that do not differ is a claim.
//
// Fewer than eight segments make no claim. Neither do the extremes of a run (fastest and slowest segment, smallest and
// largest latency), because resampling cannot make a value larger than the largest.
//
// # Several against several
//
// Runs are independent, so their figures are the sample: Mann-Whitney's U for the p-value, the Hodges-Lehmann estimate for
// the change, with an interval that assumes no distribution. Relative changes are estimated on logarithms, where they are
// shifts. Medians of each side have intervals by order statistics.
//
// # Many metrics
//
// With many looks something always seems to change. Throughput, p50 and p99 of each type (but preparation and totals) are
// primary: their p-values are corrected together by Holm's method, which keeps the probability of any false claim among
// them at 1 - Confidence. Each other metric is judged by the same steps as if it stood in for a primary one: stricter than
// by itself, but among many of those some claims may be false. Intervals are not corrected.
package compare
