// The page of a trace.
import { element, section, table } from "./dom.js";
import { chart, group } from "./plot.js";
import { chip, warningList } from "./run.js";
import { card } from "./operation.js";
import { count, dateTime, digits, duration, percentage, perSecond, plural, size, span, throughput, throughputTick } from "./format.js";

const millis = (ns) => ns / 1e6;
const time = (q, p) => (q ? duration(millis(q[p])) : null);
const bytes = (q, p) => (q ? size(Math.trunc(q[p])) : null);
const mebibyte = 1 << 20;

// beginOf returns when the trace began, in seconds of Unix time; null if its times have no date.
function beginOf(t) {
  const seconds = Date.parse(t.begin) / 1000;
  return seconds > 86400 * 365 ? seconds : null;
}

// full returns figures of intervals, without the last one if the trace ended in the first half of it.
const full = (t, list, values) => (values || []).map((v, i) => (2 * (t.span_ns - i * list.interval_ns) < list.interval_ns ? null : v));

// perSecondIn returns rates. The last interval ends with the trace; where it is too short for a rate of its own, the one before it includes it.
const perSecondIn = (t, list, values) => {
  const whole = full(t, list, values), n = whole.length;
  const joined = n > 1 && whole[n - 1] === null;
  return whole.map((v, i) => {
    if (v === null) return null;
    const last = joined && i === n - 2, end = last ? t.span_ns : Math.min((i + 1) * list.interval_ns, t.span_ns);
    return (v + (last ? values[n - 1] : 0)) / ((end - i * list.interval_ns) / 1e9);
  });
};

// timeCharts draws figures of intervals of the trace, whose times may have no date.
function timeCharts(t) {
  const shared = group("trace"), begin = beginOf(t), dated = begin !== null;
  const make = (title, list, values, unit, axis, note) => {
    if (values.length < 2 || !values.some((v) => v > 0)) return null;
    const step = list.interval_ns / 1e9, from = begin || 0;
    return chart({
      title, x: values.map((_, i) => from + (i + 0.5) * step), range: [from, from + values.length * step], step, time: dated, elapsed: !dated, shared, unit, axis, note,
      series: [{ label: title.toLowerCase(), values, colour: 0, area: 0.15 }],
    });
  };
  const r = t.rates, w = t.working_set;
  return element("div", { class: "charts" },
    make("Operations per second", r, perSecondIn(t, r, r.operations), (v) => perSecond(v, "op"), (v) => digits(v) + " op/s"),
    make("Bytes per second", r, perSecondIn(t, r, r.bytes), throughput, throughputTick),
    make("Objects in use", w, full(t, w, w.objects), count, undefined, "Different objects in each " + span(millis(w.interval_ns)) + "."),
    make("Size of the objects in use", w, full(t, w, w.bytes).map((v) => (v === null ? null : v / mebibyte)), (v) => size(v * mebibyte), (v) => digits(v) + " MiB"));
}

// skewChart draws the share of operations that the most used objects have.
function skewChart(t) {
  const list = t.popularity || [];
  if (list.length < 2) return null;
  const x = list.map((s) => Math.log10(s.objects));
  return chart({
    title: "Skew", x, range: [x[0], 0.05], unit: (v) => digits(v) + "%", ticks: list.filter((_, i) => i % 3 === (list.length - 1) % 3).map((s) => [Math.log10(s.objects), digits(100 * s.objects) + "%"]), xTitle: "the most used objects, logarithmic", yTitle: "share of operations", xName: (v) => "the most used " + digits(100 * 10 ** v) + "% of objects",
    series: [{ label: "share of operations", values: list.map((s) => 100 * s.operations), colour: 0, width: 2, points: true }],
  });
}

const kinds = (t) => table([
  { title: "operation", text: true, cell: (k) => k.kind }, { title: "operations", cell: (k) => count(k.operations) }, { title: "share", cell: (k) => percentage(k.operations, t.operations) },
  { title: "failed", cell: (k) => (k.failed ? count(k.failed) : null) }, { title: "ranges", cell: (k) => (k.ranges ? count(k.ranges) : null) }, { title: "size unknown", cell: (k) => (k.size_unknown ? count(k.size_unknown) : null) },
  { title: "bytes", cell: (k) => (k.bytes ? size(k.bytes) : null) }, { title: "mean size", cell: (k) => bytes(k.size_bytes, "mean") }, { title: "p50", cell: (k) => bytes(k.size_bytes, "p50") }, { title: "p99", cell: (k) => bytes(k.size_bytes, "p99") }, { title: "max", cell: (k) => bytes(k.size_bytes, "max") },
  { title: "latency p50", cell: (k) => time(k.latency_ns, "p50") }, { title: "p90", cell: (k) => time(k.latency_ns, "p90") }, { title: "p99", cell: (k) => time(k.latency_ns, "p99") }, { title: "max", cell: (k) => time(k.latency_ns, "max") },
], t.kinds, { id: "operations-table" });

// facts returns rows of a name and a value; those without a value are left out.
const facts = (rows) => table([{ title: "", text: true, cell: (r) => r[0] }, { title: "", text: true, cell: (r) => r[1] }], rows.filter((r) => r && r[1]));

// traceTitle returns the title of the page of a trace.
export const traceTitle = (t) => ["warp trace", t.formats.join(", "), beginOf(t) === null ? null : dateTime(beginOf(t)).slice(0, 16)].filter(Boolean).join(" · ");

// tracePage returns the parts of the page of a trace.
export function tracePage(t) {
  const o = t.objects, c = t.clients, seconds = t.span_ns / 1e9, moved = t.kinds.reduce((n, k) => n + (k.bytes || 0), 0);
  const share = (v) => digits(100 * v) + "%";
  return [
    element("header", null, element("h1", null, "warp trace"), element("p", { class: "lead" }, t.formats.join(", ") + " · " + (beginOf(t) === null ? "" : dateTime(beginOf(t)) + ", ") + span(millis(t.span_ns))),
      element("div", { class: "chips" }, t.bad ? chip("warn", plural(t.bad, "record") + " cannot be read") : chip("good", "all records read"), chip("plain", plural(t.records, "record"))),
      warningList([...(t.notes || []), ...(t.first || [])])),
    section("summary", "Summary", element("div", { class: "cards" },
      card("operations", count(t.operations)), seconds > 0 ? card("mean rate", perSecond(t.operations / seconds, "op"), moved ? throughput(moved / seconds) : null) : null,
      card("objects", count(o.count), o.bytes ? size(o.bytes) : null), c.count ? card("clients", count(c.count)) : null, t.at_once_max ? card("most in flight", count(t.at_once_max), digits(t.at_once_mean) + " on average") : null), kinds(t)),
    section("time", "Over time", timeCharts(t), element("p", { class: "note" }, "Longest pause between two operations: " + span(millis(t.longest_pause_ns)) + ".")),
    section("objects", "Objects", element("div", { class: "charts" }, skewChart(t)), facts([
      ["read", plural(o.read, "object")], ["written", plural(o.written, "object")], ["used once", plural(o.used_once, "object")],
      ["prefixes of listings", o.prefixes ? count(o.prefixes) : null],
      ["read before they are written", o.read_first ? plural(o.read_first, "object") + ", " + size(o.read_first_bytes) : null],
      ["the most used 1%", share(o.top_1_percent) + " of operations"], ["the most used 10%", share(o.top_10_percent) + " of operations"], ["the most used one", share(o.hottest) + " of operations"],
    ])),
    section("records", "Records", facts([
      ["requests in flight, of a client", c.at_once ? "median " + count(c.at_once.p50) + ", at most " + count(c.at_once.max) : null],
      t.parts_unfinished ? ["parts of unfinished uploads", count(t.parts_unfinished)] : null,
      t.missing ? ["operations on objects that are not there", count(t.missing)] : null, t.other_kinds ? ["operations of other kinds, left out", count(t.other_kinds)] : null,
      ...Object.entries(t.skipped || {}).map(([name, n]) => ["skipped: " + name, count(n)]), ["records", count(t.records)],
    ])),
  ];
}
