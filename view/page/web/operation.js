// The charts and tables of one kind of operation.
import { element, table, flatten } from "./dom.js";
import { chart } from "./plot.js";
import { painter, heatReadout } from "./heat.js";
import { partsGrid } from "./parts.js";
import { isPreparation, operationName } from "./kinds.js";
import { nines, stacked } from "./scale.js";
import { duration, throughput, throughputTick, perSecond, size, count, plural, percentage, percentileName, percentileOf, rateText, dateTime, digits } from "./format.js";

// middles returns the middle of each column.
export const middles = (c, from = c.start) => c.objects.map((_, i) => from + (i + 0.5) * c.step_s);

// timeRange returns the time of all columns.
export const timeRange = (c, from = c.start) => [from, from + Math.max(1, c.objects.length) * c.step_s];

// rateOf returns what is moved per second: bytes, objects, or operations where there are no objects.
export function rateOf(c) {
  if (c.bytes && c.bytes.length) return { values: c.bytes, format: throughput, axis: throughputTick };
  const unit = c.objects.some((v) => v > 0) ? "obj" : "op";
  return { values: unit === "obj" ? c.objects : c.ops, format: (v) => perSecond(v, unit), axis: (v) => digits(v) + " " + unit + "/s" };
}

const latencyNames = { avg: "mean", p99_9: "p99.9" };

// latencyColumn returns the column of a latency.
export const latencyColumn = (key) => ({ title: latencyNames[key] || key, cell: (o) => (percentileOf(o.latency_ms, key) === undefined ? null : duration(o.latency_ms[key])) });
export const latencyColumns = ["avg", "p50", "p90", "p99", "p99_9", "max"].map(latencyColumn);

// restNote says what charts over time leave out: the operations outside of whole columns.
function restNote(o) {
  const rest = o.segments && o.segments.rest;
  if (!rest) return null;
  const failed = rest.errors ? `, ${count(rest.errors)} of them failed` : "";
  return `Not drawn, since before the first or after the last of ${plural(o.segments.count, "whole segment")}: ${plural(rest.ops_ended, "operation")}${failed}.`;
}

// rateChart returns throughput over time.
export function rateChart(c, shared, marks, note) {
  if (c.objects.length === 0) return null;
  const rate = rateOf(c);
  return chart({
    title: "Throughput over time", x: middles(c), range: timeRange(c), step: c.step_s, time: true, shared, marks, unit: rate.format, axis: rate.axis, note,
    series: [{ label: "throughput", values: rate.values, colour: 0, area: 0.15 }],
  });
}

// latencyChart returns percentiles over time as bands.
export function latencyChart(c, shared, marks) {
  if (!c.p50) return null;
  const series = [
    { label: "p99.9", values: c.p99_9, colour: 0, width: 1, dash: [2, 3] }, { label: "p99", values: c.p99, colour: 0, width: 1.2, dash: [7, 3] },
    { label: "p90", values: c.p90, colour: 0, width: 1.2 }, { label: "p50", values: c.p50, colour: 0, width: 2.6 },
    { label: "max", values: c.max, colour: 1, width: 1, hidden: true },
    ...(c.ttfb_p50 ? [{ label: "first byte p50", name: "1st p50", values: c.ttfb_p50, colour: 2, width: 2.2, hidden: true }, { label: "first byte p99", name: "1st p99", values: c.ttfb_p99, colour: 2, width: 1, hidden: true }] : []),
  ];
  return chart({
    title: "Latency over time", x: middles(c), range: timeRange(c), step: c.step_s, time: true, shared, marks, unit: duration, log: "auto", series,
    bands: [[0, 1, 0.1], [1, 2, 0.18], [2, 3, 0.3]],
    note: series.slice(0, 4).some((l) => l.values.some((v) => v === null)) ? "A percentile is drawn where a column has at least ten slower operations." : null,
  });
}

// heatChart returns the heat map.
export function heatChart(c, shared) {
  if (!c.heat) return null;
  return chart({
    title: "Latencies of all operations", x: middles(c), range: timeRange(c), step: c.step_s, time: true, shared, unit: duration, log: true,
    bounds: [Math.max(c.heat.bounds[0], 1e-6), c.heat.bounds.at(-1)], height: 240, paint: painter(c.heat, c.start, c.step_s), readout: heatReadout(c.heat),
    series: [{ label: "p50", values: c.p50, colour: "ink", width: 1.4, hidden: true }, { label: "p99", values: c.p99, colour: "ink", width: 1.4, dash: [4, 3], hidden: true }],
    note: "Each column is a slice of time, each row a range of latency; the stronger the colour, the more operations (logarithmic).",
  });
}

const distributions = [["latency", "latency", 0], ["service", "service time", 2], ["ttfb", "first byte", 4], ["first", "first access", 1], ["last", "last access", 3], ["own", "client's own part", 6]];

// spectrumTicks returns the percentiles at which a distribution has ticks.
export const spectrumTicks = (longest) => [0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999].filter((p) => nines(p) <= nines(longest) + 0.01).map((p) => [nines(p), percentileName(p)]);

// spectrumChart returns latency by percentile; lists are pairs of a label and a distribution.
export function spectrumChart(title, lists) {
  const longest = lists.reduce((a, b) => (b[1].p.length > a.length ? b[1].p : a), []);
  if (longest.length < 2) return null;
  const x = longest.map(nines);
  return chart({
    title, x, range: [0, Math.max(x.at(-1), nines(90))], unit: duration, log: true, xName: (v) => percentileName(100 * (1 - 10 ** -v)), ticks: spectrumTicks(longest.at(-1)), height: 240,
    series: lists.map(([label, s, colour, dash]) => ({ label, values: longest.map((_, i) => s.ms[i] ?? null), colour, dash, width: 2 })),
  });
}

function spectra(c) {
  return spectrumChart("Latency by percentile", distributions.filter(([key]) => c.spectrum[key]).map(([key, label, colour]) => [label, c.spectrum[key], colour]));
}

// errorChart returns failures over time by class.
export function errorChart(c, shared, marks) {
  if (!c.errors || c.errors.length === 0) return null;
  const most = 6;
  const lists = c.errors.slice(0, most).map((e) => ({ label: e.class, values: expand(e.count, c.objects.length) }));
  if (c.errors.length > most) {
    const rest = c.errors.slice(most).map((e) => expand(e.count, c.objects.length));
    lists.push({ label: rest.length === 1 ? "1 other class" : `${rest.length} other classes`, values: rest[0].map((_, i) => rest.reduce((sum, r) => sum + r[i], 0)) });
  }
  const sums = stacked(lists.map((l) => l.values));
  return chart({
    title: "Errors over time", x: middles(c), range: timeRange(c), step: c.step_s, time: true, shared, marks, unit: (v) => digits(v), height: 160, note: lists.length > 1 ? "Stacked, from top to bottom in the order of the key." : null,
    series: lists.map((l, i) => ({ label: l.label, values: sums[i], shown: l.values, colour: (i + 1) % 7, width: 1, area: 0.9, stepped: true, format: count })),
  });
}

function expand(pairs, n) {
  const list = new Array(n).fill(0);
  for (const [i, v] of pairs) list[i] = v;
  return list;
}

function errorTables(o) {
  if (!o.errors) return null;
  const classes = Object.entries(o.errors_by_class || {}).sort((a, b) => b[1] - a[1]);
  return [
    element("h4", null, plural(o.errors, "error") + ", " + percentage(o.errors, o.requests) + " of operations"),
    table([{ title: "class", text: true, cell: (r) => r[0] }, { title: "operations", cell: (r) => count(r[1]) }, { title: "share", cell: (r) => percentage(r[1], o.requests) }], classes),
    o.first_errors ? element("details", null, element("summary", null, "First errors"),
      table([
        { title: "time", text: true, cell: (e) => dateTime(Date.parse(e.time) / 1000) }, { title: "host", text: true, cell: (e) => e.host },
        { title: "object", text: true, cell: (e) => e.key }, { title: "error", text: true, cell: (e) => e.error },
      ], o.first_errors, { class: "long" })) : null,
  ];
}

function sizeTable(o) {
  if (!o.by_size || o.by_size.length === 0) return null;
  const most = Math.max(...o.by_size.map((s) => s.requests));
  return [element("h4", null, "Classes of sizes"), table([
    { title: "sizes", text: true, cell: (s) => size(s.from_bytes) + " to " + size(s.to_bytes) },
    { title: "operations", cell: (s) => count(s.requests) }, { title: "share", text: true, cell: (s) => bar(s.requests / most) },
    ...latencyColumns, { title: "first byte p50", cell: (s) => s.ttfb_ms && s.ttfb_ms.p50 !== undefined ? duration(s.ttfb_ms.p50) : null },
    { title: "rate of a request", cell: (s) => s.request_bytes_per_sec && throughput(s.request_bytes_per_sec.avg) },
  ], o.by_size)];
}

// bar returns a bar whose length is a share from 0 to 1.
export function bar(share) {
  const box = element("span", { class: "bar" }, element("span", null));
  box.firstChild.style.width = Math.max(0.5, 100 * share).toFixed(1) + "%";
  return box;
}

const firstByteHint = "Time to first byte: from the start of the request to the first byte of the response. "
  + "Of an upload: from the moment at which its last byte was handed to the system; what then lay in the system's buffers had yet to be sent.";
export const ownHint = "How much later than it was due the client sent the request although a thread was idle, and how long the response lay unread in its kernel.";

// hintOf explains a row of times.
function hintOf(name) {
  if (name.startsWith("first byte")) return firstByteHint;
  return name === "client's own part" ? ownHint : null;
}

function detailTable(o) {
  const rows = [
    ["latency", o.latency_ms], ["service time", o.service_ms], ["first byte", o.ttfb_ms], ["client's own part", o.own_ms], ["sent late, part of it", o.own_late_ms], ["latency of first access", o.first_access_ms], ["latency of last access", o.last_access_ms],
    ["first byte of first access", o.first_access_ttfb_ms], ["first byte of last access", o.last_access_ttfb_ms],
    ["latency, approximate", o.approx_latency_ms], ["first byte, approximate", o.approx_ttfb_ms],
  ].filter((r) => r[1]);
  const cell = (key) => (r) => r[1][key] !== undefined ? duration(r[1][key]) : null;
  return table([
    { title: "", text: true, always: true, cell: (r) => element("span", { title: hintOf(r[0]) }, r[0]) },
    ...[["min", "min"], ["p50", "p50"], ["p90", "p90"], ["p95", "p95"], ["p99", "p99"], ["p99.9", "p99_9"], ["max", "max"], ["mean", "avg"], ["deviation", "stddev"]].map(([title, key]) => ({ title, cell: cell(key) })),
  ], rows);
}

// card returns a figure with its name.
export const card = (name, value, more, hint) => element("div", { class: "card", title: hint }, element("span", { class: "name" }, name), element("span", { class: "value" }, value), more ? element("span", { class: "more" }, more) : null);

// ownPart returns the client's own part of the latency of an operation, at the highest percentile that both have; null if it is not known.
export function ownPart(o) {
  const own = (k) => percentileOf(o.own_ms, k) ?? percentileOf(o.own_late_ms, k);
  const key = ["p99", "p90", "p50"].find((k) => own(k) !== undefined && percentileOf(o.latency_ms, k) !== undefined);
  if (!key) return null;
  const of = o.latency_ms[key];
  return { o, key, own: own(key), of, share: own(key) / of, atLeast: percentileOf(o.own_ms, key) === undefined ? "≥ " : "" };
}

function ownCard(o) {
  const p = ownPart(o);
  return p && card("client's own part, " + p.key, p.atLeast + duration(p.own), "of " + duration(p.of), ownHint);
}

// resentText says how many operations met a connection that the server had closed.
export const resentText = (o) => count(o.resent) + " resent";

function cards(o) {
  const t = o.throughput;
  return element("div", { class: "cards" },
    t.bytes_per_sec > 0 ? card("throughput", throughput(t.bytes_per_sec), perSecond(t.objects_per_sec, "obj")) : card("throughput", perSecond(t.objects_per_sec || t.ops_per_sec, t.objects_per_sec ? "obj" : "op")),
    o.latency_ms ? card("p50", duration(o.latency_ms.p50)) : null,
    o.latency_ms && o.latency_ms.p99 !== undefined ? card("p99", duration(o.latency_ms.p99)) : null,
    o.ttfb_ms ? card("first byte p50", duration(o.ttfb_ms.p50), null, firstByteHint) : null,
    ownCard(o),
    card("operations", count(o.requests), (o.errors ? plural(o.errors, "error") : "no errors") + (o.resent ? ", " + resentText(o) : "")),
    card("threads", count(o.concurrency), o.hosts.length > 1 ? plural(o.hosts.length, "host") : null));
}

// operationSection returns all about one kind of operation; c is its chart data, if it has any.
export function operationSection(o, c, id, shared, marks, open) {
  const body = element("div", { class: "body" });
  const box = element("details", { id, class: "operation", open }, element("summary", null, element("h3", null, operationName(o)),
    element("span", { class: "brief" }, [rateText(o.throughput), o.latency_ms ? "p50 " + duration(o.latency_ms.p50) : null, o.errors ? plural(o.errors, "error") : null, o.resent ? resentText(o) : null].filter(Boolean).join(" · "))), body);
  box.fill = (body) => {
    if (body.hasChildNodes()) return;
    body.append(...[
      cards(o), c ? element("div", { class: "charts" }, rateChart(c, shared, marks, restNote(o)), latencyChart(c, shared, marks), heatChart(c, shared), spectra(c), errorChart(c, shared, marks)) : null,
      detailTable(o), errorTables(o), sizeTable(o),
      partsGrid("Hosts", o.by_host, c && c.hosts), partsGrid("Clients", o.by_client, c && c.clients), used(o),
    ].flat(Infinity).filter(Boolean));
  };
  box.addEventListener("toggle", () => box.open && box.fill(body));
  if (open) box.fill(body);
  return box;
}

function used(o) {
  if (!o.objects_used) return null;
  const rows = flatten(o.objects_used);
  return element("details", null, element("summary", null, "Objects used"), table([{ title: "figure", text: true, cell: (r) => r[0] }, { title: "value", cell: (r) => typeof r[1] === "number" ? digits(r[1]) : String(r[1]) }], rows));
}
