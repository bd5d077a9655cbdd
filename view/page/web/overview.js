// What all kinds of operations did over time, in the same charts.
import { element, section } from "./dom.js";
import { chart } from "./plot.js";
import { middles, timeRange } from "./operation.js";
import { commonPercentile, drawable, isPreparation, operationName } from "./kinds.js";
import { digits, duration, plural, span, throughput, throughputTick } from "./format.js";

const mostLines = 12; // of a chart

const overlap = (a, b) => timeRange(a)[0] < timeRange(b)[1] && timeRange(b)[0] < timeRange(a)[1];
const lineWidths = [1.8, 3.2, 0.9]; // of lines of the same kind at the same time

// linesOf returns the lines of kinds. Windows of kinds begin at different times; a column is drawn at the nearest one of a common grid.
function linesOf(list, values, column, n) {
  return list.map((c, i) => {
    const alike = (o) => o !== c && o.colour === c.colour && overlap(o, c);
    const row = new Array(n).fill(null);
    middles(c).forEach((t, k) => (row[column(t)] = values(c)[k]));
    return {
      label: operationName(c), name: list.some((o) => alike(o) && o.op === c.op) ? operationName(c) : c.op, values: row, colour: c.colour,
      width: lineWidths[list.slice(0, i).filter(alike).length % lineWidths.length],
    };
  });
}

// overview draws the rates of all kinds of operations that ran at the same time.
export function overview(all, shared, range, marks) {
  const measured = all.filter((c) => !isPreparation(c));
  const charts = measured.filter((c) => c.objects.length > 0), short = measured.filter((c) => c.objects.length === 0);
  if (measured.length < 2 || charts.length === 0 || new Set(charts.map((c) => c.step_s)).size > 1) return null;
  const rates = charts.slice(0, mostLines), step = charts[0].step_s, more = charts.length - rates.length;
  const make = (title, kinds, values, unit, axis, note) => {
    const list = kinds.filter((c) => drawable(values(c)));
    if (list.length === 0) return null;
    const column = (t) => Math.round((t - range[0]) / step - 0.5);
    const n = 1 + Math.max(...list.map((c) => column(middles(c).at(-1))));
    return chart({ title, x: Array.from({ length: n }, (_, i) => range[0] + (i + 0.5) * step), range, step, time: true, shared, marks, unit, axis, note, series: linesOf(list, values, column, n) });
  };
  const latency = commonPercentile(rates.filter((c) => c.p50));
  const notes = [
    more > 0 ? `The first ${mostLines} kinds of operations; charts of the other ${more} are below.` : null,
    short.length > 0 ? `Not drawn, since shorter than a column of ${span(step * 1000)}: ${short.length > mostLines ? plural(short.length, "kind") + " of operations" : short.map(operationName).join(", ")}.` : null,
  ].filter(Boolean);
  return section("overview", "Over time", notes.map((n) => element("p", { class: "note" }, n)), element("div", { class: "charts" },
    make("Throughput", charts.filter((c) => c.bytes).slice(0, mostLines), (c) => c.bytes, throughput, throughputTick),
    make("Operations per second", rates, (c) => c.ops, (v) => digits(v) + " op/s"),
    make("Latency, " + latency.key, rates, (c) => c[latency.key] || [], duration, undefined, latency.note)));
}
