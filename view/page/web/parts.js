// Hosts and clients as small multiples: the slowest first, all drawn to the same scale.
import { element, shape, table } from "./dom.js";
import { duration, plural, count, rateText } from "./format.js";
import { logRange, nines } from "./scale.js";

const width = 180, height = 44;

// pathOf returns the path of a line through points of a box; null leaves a gap.
export function pathOf(points) {
  let path = "", gap = true;
  for (const p of points) {
    if (p === null) {
      gap = true;
      continue;
    }
    path += (gap ? "M" : "L") + p[0].toFixed(1) + " " + p[1].toFixed(1);
    gap = false;
  }
  return path;
}

const drawing = (label, path, className) => shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "small " + className, role: "img", "aria-label": label, preserveAspectRatio: "none" }, shape("path", { d: path }));

function spark(values, most) {
  const n = Math.max(1, values.length - 1);
  return drawing("throughput over time", pathOf(values.map((v, i) => (v === null ? null : [(i / n) * width, height - 2 - (v / most) * (height - 4)]))), "rate");
}

function curve(s, range, longest) {
  const [low, high] = range.map(Math.log);
  return drawing("latency by percentile", pathOf(s.p.map((p, i) => [(nines(p) / longest) * width, s.ms[i] > 0 ? height - 2 - ((Math.log(s.ms[i]) - low) / (high - low)) * (height - 4) : height])), "latency");
}

// partsGrid returns cards of hosts or clients by name, with drawings of those that have them; null for fewer than two.
export function partsGrid(title, parts, drawn) {
  const names = Object.keys(parts || {});
  if (names.length < 2) return null;
  const p99 = (n) => parts[n].latency_ms ? parts[n].latency_ms.p99 ?? parts[n].latency_ms.max : 0;
  names.sort((a, b) => p99(b) - p99(a));
  const of = new Map((drawn || []).map((d) => [d.name, d]));
  const rates = (d) => d.bytes || d.objects || [];
  const most = Math.max(1e-9, ...[...of.values()].flatMap(rates));
  const range = logRange([...of.values()].flatMap((d) => d.spectrum.ms || [])) || [1, 2];
  const longest = Math.max(1, ...[...of.values()].map((d) => d.spectrum.p && d.spectrum.p.length ? nines(d.spectrum.p.at(-1)) : 0));
  const rate = (p) => rateText(p.throughput);
  const cards = names.filter((n) => of.has(n)).map((n) => {
    const p = parts[n], d = of.get(n);
    return element("div", { class: "part" }, element("strong", { title: n }, n),
      element("div", { class: "figures" }, element("span", null, rate(p)), p.latency_ms ? element("span", null, "p50 " + duration(p.latency_ms.p50)) : null,
        p.latency_ms && p.latency_ms.p99 !== undefined ? element("span", null, "p99 " + duration(p.latency_ms.p99)) : null, p.errors ? element("span", { class: "bad" }, plural(p.errors, "error")) : null),
      rates(d).length > 1 ? spark(rates(d), most) : null, d.spectrum.p && d.spectrum.p.length > 1 ? curve(d.spectrum, range, longest) : null);
  });
  const rows = names.map((n) => [n, parts[n]]);
  return element("div", { class: "parts" }, element("h4", null, title + ", the slowest first"),
    cards.length ? element("div", { class: "grid" }, cards) : null,
    cards.length ? element("p", { class: "note" }, "Upper line: throughput over time; lower line: latency by percentile, logarithmic. All have the same scale.") : null,
    element("details", { open: cards.length === 0 }, element("summary", null, plural(names.length, title.toLowerCase().replace(/s$/, "")) + " in figures"),
      table([
        { title: "name", text: true, cell: (r) => r[0] }, { title: "operations", cell: (r) => count(r[1].requests) }, { title: "errors", cell: (r) => r[1].errors ? count(r[1].errors) : "0" }, { title: "throughput", cell: (r) => rate(r[1]) },
        ...[["p50", "p50"], ["p90", "p90"], ["p99", "p99"], ["p99.9", "p99_9"], ["max", "max"]].map(([t, key]) => ({ title: t, cell: (r) => r[1].latency_ms && r[1].latency_ms[key] !== undefined ? duration(r[1].latency_ms[key]) : null })),
      ], rows)));
}
