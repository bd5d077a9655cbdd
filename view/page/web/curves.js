// Searches for the highest load, and sweeps.
import { element, section, table } from "./dom.js";
import { chart } from "./plot.js";
import { latencyColumns, card, bar } from "./operation.js";
import { duration, span, digits, count, throughput, throughputTick, perSecond } from "./format.js";

// Trials by verdict: colour, size of the dot, and whether it is hollow.
const verdictSeries = [["passed", "pass", 2, 11, false], ["failed", "fail", 1, 11, true], ["undecided", "undecided", 6, 7, false], ["invalid", "invalid", 4, 7, true]];

// searchSection returns a search: its result, its trials, and their loads in order.
export function searchSection(s) {
  const threads = s.control === "threads";
  const load = (t) => (threads || t.rate === undefined ? t.threads : t.rate);
  const unit = threads ? (v) => digits(v) + " threads" : (v) => digits(v) + "/s";
  const numbered = s.trials.map((t, i) => [t, i + 1]).filter(([t]) => threads || t.rate !== undefined);
  const same = numbered.map((n) => n[0]);
  const b = s.boundary;
  const held = threads ? b.held_threads : b.held_per_sec, failed = threads ? b.infeasible_threads : b.infeasible_per_sec;
  const x = numbered.map((n) => n[1]);
  const level = (label, v, colour, dash) => (v ? [{ label, values: x.map(() => v), colour, width: 1.4, dash }] : []);
  const figure = same.length > 1 ? chart({
    title: "Load of each trial", x, range: [x[0] - 0.5, x.at(-1) + 0.5], unit, log: "auto", ticks: x.filter((_, i) => same.length < 24 || i % 5 === 4).map((v) => [v, String(v)]), xName: (v) => "trial " + v, xTitle: "trial",
    series: [...verdictSeries.map(([label, verdict, colour, dots, hollow]) => ({ label, values: same.map((t) => (t.verdict === verdict ? load(t) : null)), colour, dots, hollow })).filter((l) => l.values.some((v) => v !== null)),
      ...level("held", held, "good"), ...level("lowest that failed", failed, "bad", [5, 4])],
  }) : null;
  return section("search" + (s.stream ? "-" + s.stream : ""), "Search: the highest load with " + s.objectives.join(", ") + (s.stream ? ", in " + s.stream : ""),
    element("div", { class: "cards" }, card("result", s.status), held ? card("held", threads ? digits(held) + " threads" : perSecond(held, "op"), threads ? perSecond(b.held_per_sec, "op") : null) : null,
      failed ? card("lowest that failed", unit(failed)) : null, b.ci ? card("estimate of the boundary, 95%", unit(b.ci[0]) + " to " + unit(b.ci[1]), b.type) : null, s.binding ? card("fails first", s.binding) : null,
      s.tail ? card("bad at low loads", digits(100 * s.tail) + "%") : null, s.drift_per_min ? card(s.drift_per_min < 0 ? "got slower" : "got faster", digits(100 * Math.abs(s.drift_per_min)) + "% a minute") : null,
      s.bad_periods ? card("bad periods", "trial " + s.bad_periods.join(", ")) : null, s.unseen_period_s ? card("bad periods unseen", "rarer than every " + span(s.unseen_period_s * 1000)) : null, card("took", span(s.spent_s * 1000))),
    figure, table([
      { title: "trial", cell: (t) => String(s.trials.indexOf(t) + 1) }, { title: "purpose", text: true, cell: (t) => t.purpose }, { title: "load", cell: (t) => (t.rate === undefined ? digits(t.threads) + " threads" : digits(t.rate) + "/s") },
      { title: "achieved", cell: (t) => digits(t.achieved_per_sec) + "/s" },
      { title: "bad operations", cell: (t) => t.bad.map((x) => digits(100 * x.share) + "% (" + digits(100 * x.ci[0]) + "% to " + digits(100 * x.ci[1]) + "%)").join("; ") || null },
      { title: "allowed", cell: (t) => t.bad.map((x) => digits(100 * x.allowed) + "%").join("; ") || null },
      { title: "length", cell: (t) => span(t.duration_s * 1000) }, { title: "verdict", text: true, cell: (t) => element("span", { class: t.verdict === "pass" ? "good" : t.verdict === "fail" ? "bad" : "" }, t.verdict) },
      { title: "limit of the client", text: true, cell: (t) => t.limit || null },
    ], s.trials));
}

// What the charts of curves have in common: percentiles with their fields, the latency of a point, and the unit of throughput.
const percentiles = [["p50", "p50"], ["p90", "p90"], ["p99", "p99"]];
const latencyAt = (k) => (p) => (p.latency_ms && p.latency_ms[k] !== undefined ? p.latency_ms[k] : null);
const rateUnit = (bytes) => (bytes ? throughput : (v) => digits(v) + "/s");
const shown = (line) => line.values.some((v) => v !== null);

// around returns the range of ascending positions, with some room at both ends.
function around(x) {
  const room = Math.max((x.at(-1) - x[0]) * 0.04, 0.05);
  return [x[0] - room, x.at(-1) + room];
}

// sweepSection returns the curves of a sweep.
export function sweepSection(s) {
  return section("sweep" + (s.stream ? "-" + s.stream : ""), "Sweep over " + s.over.join(" and ") + (s.stream ? ", in " + s.stream : ""), s.curves.map((c) => {
    const title = c.op + Object.entries(c.fixed || {}).map(([k, v]) => ", " + k + "=" + v).join("");
    const spread = c.points.at(-1).number / Math.max(c.points[0].number, 1e-9) > 8 && c.points[0].number > 0;
    const place = (v) => (spread ? Math.log2(v) : v);
    const x = c.points.map((p) => place(p.number));
    const ticks = c.points.map((p) => [place(p.number), p.value]);
    const base = { x, range: around(x), ticks, xTitle: s.over[0], xName: (v) => s.over[0] + "=" + (ticks.find((t) => t[0] === v) || ["", digits(spread ? 2 ** v : v)])[1] };
    const marks = c.knee ? [{ at: place(c.knee.level), label: "knee" }] : [];
    const bytes = c.points.some((p) => p.bytes_per_sec);
    const ci = c.points.some((p) => p.ci);
    const ratio = (p) => (bytes && p.ops_per_sec > 0 ? p.bytes_per_sec / p.ops_per_sec : 1);
    const unit = rateUnit(bytes);
    return [element("h3", null, title), element("div", { class: "cards" },
      card("best", s.over[0] + "=" + c.best, { rising: "throughput still rises", flat: "flat from there on", falling: "throughput falls beyond" }[c.trend]), c.knee ? card("knee", digits(c.knee.level), digits(c.knee.ci[0]) + " to " + digits(c.knee.ci[1]) + (c.knee.confirmed ? ", confirmed" : "")) : null,
      c.usl ? card("scalability", digits(c.usl.one_per_sec) + "/s by one", "contention " + digits(100 * c.usl.contention) + "%, crosstalk " + digits(100 * c.usl.crosstalk) + "%" + (c.usl.peak_threads ? ", peak at " + digits(c.usl.peak_threads) : "")) : null,
      c.limit ? card("scalability", digits(c.limit.one_per_sec) + "/s by one", "grows up to about " + digits(c.limit.threads) + ", and not beyond") : null,
      c.servers ? card("at a time", digits(c.servers.count), duration(c.servers.service_ms) + " each") : null,
      c.latency_of_size ? card("latency over size", duration(c.latency_of_size.base_ms), c.latency_of_size.bytes_per_sec ? "and " + throughput(c.latency_of_size.bytes_per_sec) : null) : null),
    element("div", { class: "charts" },
      chart({
        ...base, title: "Throughput", unit, axis: bytes ? throughputTick : unit, marks, bands: ci ? [[1, 2, 0.25]] : [],
        series: [{ label: "throughput", values: c.points.map((p) => (bytes ? p.bytes_per_sec : p.ops_per_sec)), colour: 0, width: 2, points: true },
          ...(ci ? [{ label: "95% interval, above", values: c.points.map((p) => (p.ci ? p.ci[1] * ratio(p) : null)), colour: 0, width: 0.5 }, { label: "below", values: c.points.map((p) => (p.ci ? p.ci[0] * ratio(p) : null)), colour: 0, width: 0.5 }] : [])],
      }),
      chart({ ...base, title: "Latency", unit: duration, log: "auto", marks, series: percentiles.map(([label, k], i) => ({ label, values: c.points.map(latencyAt(k)), colour: i, width: 2, points: true })).filter(shown) })),
    table([
      { title: s.over[0], text: true, cell: (p) => p.value }, { title: "operations", cell: (p) => count(p.requests) }, { title: "errors", cell: (p) => count(p.errors) },
      { title: "op/s", cell: (p) => digits(p.ops_per_sec) }, { title: "95% interval", cell: (p) => (p.ci ? digits(p.ci[0]) + " to " + digits(p.ci[1]) : null) }, { title: "", text: true, cell: (p) => bar(p.ops_per_sec / Math.max(...c.points.map((q) => q.ops_per_sec))) },
      { title: "throughput", cell: (p) => (p.bytes_per_sec ? throughput(p.bytes_per_sec) : null) }, ...latencyColumns,
    ], c.points)];
  }));
}

// directions returns for each level of a load whether a step up, or down, leads to it or from it.
function directions(list) {
  const way = list.map((v, i) => (i > 0 ? Math.sign(v - list[i - 1]) : 0));
  const goes = (i, sign) => way[i] === sign || (i + 1 < list.length && way[i + 1] === sign);
  return list.map((v, i) => ({ up: goes(i, 1) || !goes(i, -1), down: goes(i, -1) }));
}

// loadCurveSection returns the figures of a kind of operation over the steps of its load.
export function loadCurveSection(c) {
  const measured = c.steps.filter((p) => p.measured_s > 0);
  const level = (p) => (p.from + p.to) / 2;
  const ways = directions(measured.map(level));
  const order = measured.map((p, i) => ({ p, ...ways[i] })).sort((a, b) => level(a.p) - level(b.p));
  const falls = order.some((o) => o.down);
  const x = order.map((o) => level(o.p));
  const name = (p) => (p.from === p.to ? digits(p.from) : digits(p.from) + " to " + digits(p.to));
  const bytes = measured.some((p) => p.bytes_per_sec);
  const unit = rateUnit(bytes);
  const lines = (label, value, colour) => (falls ? [["up", label + ", load rising", 2.4], ["down", label + ", load falling", 0.9]] : [["up", label, 2]])
    .map(([way, text, width]) => ({ label: text, values: order.map((o) => (o[way] ? value(o.p) : null)), colour, width, points: true, joined: true }))
    .filter(shown);
  const base = { x, range: around(x), ticks: [...new Set(x)].map((v) => [v, digits(v)]), xTitle: c.unit, xName: (v) => digits(v) + " " + c.unit };
  return section("load-" + (c.phase || "run") + "-" + c.op, "Load in steps: " + c.op + (c.phase ? ", " + c.phase : ""),
    element("div", { class: "charts" },
      chart({ ...base, title: "Throughput by load", unit, axis: bytes ? throughputTick : unit, series: lines("throughput", (p) => (bytes ? p.bytes_per_sec || 0 : p.ops_per_sec), 0) }),
      chart({ ...base, title: "Latency by load", unit: duration, log: "auto", series: percentiles.flatMap(([label, k], i) => lines(label, latencyAt(k), i)) })),
    table([
      { title: c.unit, text: true, cell: name }, { title: "from", cell: (p) => span(p.start_s * 1000) }, { title: "to", cell: (p) => span(p.end_s * 1000) },
      { title: "operations", cell: (p) => count(p.requests) }, { title: "errors", cell: (p) => count(p.errors) },
      { title: "op/s", cell: (p) => (p.measured_s ? digits(p.ops_per_sec) : "too short") }, { title: "throughput", cell: (p) => (p.bytes_per_sec ? throughput(p.bytes_per_sec) : null) }, ...latencyColumns,
    ], c.steps));
}
