// Positions of ticks, and ranges of axes.

// logTicks returns 1, 2 and 5 times powers of ten from low to high, fewer if there would be more than most.
export function logTicks(low, high, most) {
  for (const steps of [[1, 2, 5], [1], null]) {
    const ticks = [];
    const stride = steps ? 1 : Math.ceil((Math.log10(high / low) + 1) / most);
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e += stride) {
      for (const m of steps || [1]) {
        const v = Number((m * 10 ** e).toPrecision(1));
        if (v >= low && v <= high) ticks.push(v);
      }
    }
    if (ticks.length >= 2 && (ticks.length <= most || !steps)) return ticks;
    if (!steps || (steps.length === 3 && ticks.length < 2)) return ticks.length ? ticks : [low, high];
  }
  return [low, high];
}

// logRange returns a range for positive values with some room; null without any.
export function logRange(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) {
    if (v > 0) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  }
  return high > 0 ? [low / 1.2, high * 1.2] : null;
}

// nines returns where a percentile is drawn: 90% at 1, 99% at 2.
export const nines = (percent) => Math.log10(1 / (1 - percent / 100));

// stacked returns lists added up, the first on top, so that each can be drawn from 0.
export function stacked(lists) {
  const sums = [];
  let below = null;
  for (const list of lists.toReversed()) {
    below = list.map((v, i) => (v || 0) + (below ? below[i] : 0));
    sums.unshift(below);
  }
  return sums;
}

// needsLog reports whether values differ so much that a linear axis hides most of them.
export function needsLog(values) {
  const range = logRange(values);
  return range !== null && range[1] / range[0] > 30;
}

// unite returns the middles of the columns of several charts, each beginning at 0, and a way to bring the figures of a chart to them: at each,
// that of the column it lies in. Charts may have columns of different length.
export function unite(charts) {
  const x = [...new Set(charts.flatMap((c) => c.objects.map((_, i) => (i + 0.5) * c.step_s)))].sort((a, b) => a - b);
  return { x, at: (c, values) => x.map((t) => values[Math.floor(t / c.step_s)] ?? null) };
}
