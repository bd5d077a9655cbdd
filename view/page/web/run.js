// The page of a run.
import { element, section, table, flatten } from "./dom.js";
import { chart, group } from "./plot.js";
import { isPreparation, operationName, preparationLast } from "./kinds.js";
import { operationSection, latencyColumn, ownPart, timeRange, card, bar, resentText, ownHint } from "./operation.js";
import { overview } from "./overview.js";
import { searchSection, sweepSection, loadCurveSection } from "./curves.js";
import { replaySection } from "./replay.js";
import { duration, span, throughput, throughputTick, perSecond, count, plural, percentage, dateTime, size, digits, percentileOf, rateText } from "./format.js";

const key = (o) => (o.phase || "") + "\u0000" + o.op;

// chip returns a short statement with a sign, good, bad or neither.
export const chip = (kind, text) => element("span", { class: "chip " + kind }, element("span", { "aria-hidden": "true" }, { good: "✓", bad: "✕", warn: "!", plain: "·", unclear: "~" }[kind]), text);

// warningList returns the warnings, and what is incomplete.
export function warningList(warnings) {
  return warnings && warnings.length > 0 ? element("ul", { class: "warnings" }, warnings.map((w) => element("li", null, w))) : null;
}

// limitReason returns in a few words how a client was the bottleneck. The warnings say more.
function limitReason(l) {
  const causes = { others: ", other programs use the CPUs", server: ", the server is on the same CPUs", cpu: ", warp needs all CPUs", throttled: ", its CPU quota stops it" };
  const amount = (v, format) => (v === undefined ? "" : " " + format(v));
  const text = {
    "own-part": () => "own part " + duration(l.figure) + " of " + duration(l.compared_ms) + (causes[l.cause] || ""),
    stall: () => "it did not run for" + amount(l.figure, (v) => span(v * 1000)), "clock-jump": () => "its clock jumped by" + amount(l.figure, (v) => span(v * 1000)),
    cpu: () => "CPU" + amount(l.figure, (v) => digits(v) + "%"), "cpu-quota": () => "CPU quota" + amount(l.figure, (v) => digits(v) + "%"),
    throttled: () => "throttled in" + amount(l.figure, (v) => digits(v) + "%") + " of the time", network: () => "network" + amount(l.figure, (v) => digits(v) + "%"),
  }[l.reason];
  return (l.client_name ? l.client_name + ": " : "") + (text ? text() : l.reason);
}

// chips sums a run up; as long as it goes on, it is neither complete nor incomplete.
function chips(r, going) {
  const measured = r.operations.filter((o) => !isPreparation(o) && !o.whole);
  const errors = measured.reduce((n, o) => n + o.errors, 0), requests = measured.reduce((n, o) => n + o.requests, 0);
  const resent = measured.reduce((n, o) => n + (o.resent || 0), 0);
  const limits = r.client_limits || [];
  const rules = r.rules || [];
  return element("div", { class: "chips" },
    going ? chip("plain", going) : r.incomplete ? chip("bad", "incomplete") : chip("good", "complete"),
    errors > 0 ? chip("bad", plural(errors, "error") + " (" + percentage(errors, requests) + ")") : chip("good", "no errors"),
    resent > 0 ? chip("warn", resentText({ resent })) : null,
    rulesChip(rules),
    limits.length > 0 ? chip("warn", "client-limited: " + limitReason(limits[0]) + (limits.length > 1 ? ", and " + plural(limits.length - 1, "more reason") : "")) : r.client && !going ? chip("good", "client not the limit") : null,
    r.warnings.length > 0 ? chip("warn", plural(r.warnings.length, "warning")) : null);
}

// verdicts are those on rules: how they are shown, from the worst.
const verdicts = { broken: "bad", unknown: "warn", held: "good" };
const verdictName = { broken: "broken", unknown: "not known", held: "held" };

// rulesChip sums the verdicts on rules up.
export function rulesChip(rules) {
  const worst = Object.keys(verdicts).find((v) => rules.some((r) => r.verdict === v));
  return worst ? chip(verdicts[worst], rules.filter((r) => r.verdict === "held").length + " of " + plural(rules.length, "rule") + " held") : null;
}

const sources = { "fail-if": "--fail-if", expect: "scenario", "max-errors": "--max-errors" };

// rulesTable returns the rules about a result, and the verdict on each.
export function rulesTable(rules) {
  return rules && rules.length > 0 ? table([
    { title: "verdict", text: true, cell: (e) => chip(verdicts[e.verdict], verdictName[e.verdict]) }, { title: "phase", text: true, cell: (e) => e.stream },
    { title: "from", text: true, cell: (e) => sources[e.source] || e.source }, { title: "rule", text: true, cell: (e) => (e.source === "fail-if" ? "must not be: " : "") + e.rule }, { title: "found", text: true, cell: (e) => e.found },
  ], rules, { id: "rules" }) : null;
}

// commandOf returns a command as it is typed.
const commandOf = (r) => "warp " + r.command.replace(/^(search|sweep)-/, "$1 ");

const hostsOf = (r) => [...new Set(r.operations.flatMap((o) => o.hosts))];

// runTitle returns the title of the page of a run: what, where and when.
export function runTitle(d) {
  const hosts = hostsOf(d.report).map((h) => h.replace(/^https?:\/\//, "")), began = Math.min(...(d.phases || []).map((p) => p.from));
  return [commandOf(d.report), hosts.length > 1 ? hosts[0] + " and " + (hosts.length - 1) + " more" : hosts[0], began < Infinity ? dateTime(began).slice(0, 16) : null].filter(Boolean).join(" · ");
}

function head(r, phases, going) {
  const hosts = hostsOf(r);
  const from = Math.min(...phases.map((p) => p.from)), to = Math.max(...phases.map((p) => p.to));
  const lines = [
    hosts.length > 0 ? hosts.slice(0, 4).join(", ") + (hosts.length > 4 ? ` and ${hosts.length - 4} more` : "") : null,
    phases.length > 0 ? dateTime(from) + ", " + span((to - from) * 1000) : null,
    [r.engine ? "engine " + r.engine : null, "warp " + r.warp_version].filter(Boolean).join(", "),
  ];
  return element("header", null, element("h1", null, commandOf(r)), element("p", { class: "lead" }, lines.filter(Boolean).join(" · ")), chips(r, going), warningList(r.warnings), rulesTable(r.rules));
}

// slowest returns the kind with the highest p99, or lower percentile if none has that.
function slowest(measured) {
  for (const key of ["p99", "p90", "p50"]) {
    const list = measured.filter((o) => percentileOf(o.latency_ms, key) !== undefined);
    if (list.length > 0) return { key, o: list.reduce((a, b) => (b.latency_ms[key] > a.latency_ms[key] ? b : a)) };
  }
  return null;
}

// summaryCards returns what a reader wants to know first: throughput, latency, errors, and the client's part in it. Trials of a search, or points
// of a sweep, have latencies by design that are no summary of it.
function summaryCards(r, trials) {
  const measured = r.operations.filter((o) => !isPreparation(o)), several = measured.length > 1;
  if (measured.length === 0) return null;
  const t = several ? r.total && r.total.throughput : measured[0].throughput, total = several ? "total " : "";
  const single = measured.filter((o) => !o.whole), errors = single.reduce((n, o) => n + o.errors, 0), requests = single.reduce((n, o) => n + o.requests, 0);
  const byRate = (o) => [o.throughput.bytes_per_sec || 0, o.throughput.ops_per_sec], higher = (a, b) => a[0] - b[0] || a[1] - b[1];
  const fast = t || trials ? null : single.reduce((a, b) => (higher(byRate(b), byRate(a)) > 0 ? b : a)); // phases one after the other have no total
  const slow = trials ? null : slowest(single), own = single.map(ownPart).filter(Boolean).reduce((a, b) => (a && a.share >= b.share ? a : b), null);
  return element("div", { class: "cards" },
    t && t.bytes_per_sec > 0 ? card(total + "throughput", throughput(t.bytes_per_sec)) : null,
    fast ? card("highest throughput", rateText(fast.throughput), operationName(fast)) : null,
    t ? card(total + "rate", t.objects_per_sec > 0 ? perSecond(t.objects_per_sec, "obj") : perSecond(t.ops_per_sec, "op")) : null,
    slow ? card((several ? "highest " : "") + slow.key, duration(slow.o.latency_ms[slow.key]), several ? operationName(slow.o) : null) : null,
    card("errors", element("span", { class: errors ? "bad" : "" }, count(errors)), errors ? percentage(errors, requests) + " of operations" : "of " + plural(requests, "operation")),
    own ? card("client's own part", own.atLeast + percentage(own.own, own.of), `${duration(own.own)} of ${several ? operationName(own.o) + " " : ""}${own.key}`, ownHint) : null);
}

// summary shows throughput and latency first, which a phone shows without scrolling.
function summary(r, trials) {
  if (r.operations.length === 0) return null;
  const most = Math.max(...r.operations.filter((o) => !isPreparation(o)).map((o) => o.throughput.ops_per_sec));
  const rows = preparationLast(r.operations);
  return section("summary", "Summary", summaryCards(r, trials), table([
    { title: "operation", text: true, cell: (o) => element("a", { href: "#" + anchor(o, r.operations.indexOf(o)) }, operationName(o)) },
    { title: "throughput", cell: (o) => (o.throughput.ops_per_sec > 0 ? rateText(o.throughput) : null) },
    latencyColumn("p50"), latencyColumn("p90"), latencyColumn("p99"), latencyColumn("p99_9"), latencyColumn("max"),
    { title: "errors", cell: (o) => (o.errors ? element("span", { class: "bad" }, count(o.errors)) : "0") },
    { title: "resent", cell: (o) => (o.resent ? count(o.resent) : null) },
    { title: "op/s", cell: (o) => digits(o.throughput.ops_per_sec) },
    { title: "", text: true, cell: (o) => (isPreparation(o) || !(most > 0) ? null : bar(o.throughput.ops_per_sec / most)) },
    latencyColumn("avg"),
    { title: "size", cell: (o) => (o.size_bytes > 0 ? size(o.size_bytes) : null) },
    { title: "operations", cell: (o) => count(o.requests) },
  ], rows, { id: "operations-table" }));
}

const anchor = (o, i) => "operation-" + i;

function clientSection(d, shared, marks) {
  const c = d.client, r = d.report;
  const lines = d.client_lines || [];
  const charts = [];
  if (c && c.start.length > 1) {
    const step = c.start[1] - c.start[0];
    const base = { x: c.start.map((t) => t + step / 2), range: [c.start[0], c.start.at(-1) + step], step, time: true, shared, marks, height: 150 };
    const add = (title, unit, list) => {
      const series = list.filter((s) => s[1].some((v) => v !== null && v !== 0)).map(([label, values], i) => ({ label, values, colour: i }));
      if (series.length) charts.push(chart({ ...base, title, unit, series }));
    };
    const percent = (v) => digits(v) + "%";
    add("Processor", percent, [["of the processors", c.cpu], ["of the quota", c.quota]]);
    add("Lateness of goroutines, p99", duration, [["lateness", c.late]]);
    add("Pauses of the garbage collector", duration, [["pauses", c.pause]]);
    add("Network", throughputTick, [["sent", c.sent], ["received", c.received], ["loopback", c.loopback]]);
    add("Retransmitted segments", (v) => digits(v), [["segments", c.resent]]);
    add("Heap", size, [["heap", c.heap]]);
  }
  return section("client", "Client", lines.map((l) => element("p", null, l)), charts.length ? element("div", { class: "charts" }, charts) : null, r.clients ? clientTable(r.clients) : null);
}

function clientTable(clients) {
  const self = (c) => c.self || {};
  return table([
    { title: "client", text: true, cell: (c) => c.addr ? c.addr + " (" + c.id + ")" : c.recording },
    { title: "operations", cell: (c) => (c.operations === undefined ? null : count(c.operations)) },
    { title: "processor", cell: (c) => (self(c).cpu ? digits(self(c).cpu.percent) + "%" : null) },
    { title: "lateness p99", cell: (c) => (self(c).lateness && self(c).lateness.p99_ms ? duration(self(c).lateness.p99_ms) : null) },
    { title: "retransmitted", cell: (c) => (self(c).tcp ? count(self(c).tcp.retransmitted_segments) : null) },
    { title: "trouble", text: true, cell: (c) => c.error || c.cut || null },
  ], clients);
}

function schedules(r) {
  return r.schedules ? table([
    { title: "phase", text: true, cell: (s) => s.stream || null }, { title: "planned", cell: (s) => perSecond(s.planned_per_sec, "op") }, { title: "achieved", cell: (s) => perSecond(s.achieved_per_sec, "op") },
    { title: "due", cell: (s) => count(s.due) }, { title: "sent", cell: (s) => count(s.sent) }, { title: "late", cell: (s) => count(s.late) }, { title: "not sent", cell: (s) => count(s.unsent) },
  ], r.schedules) : null;
}

// tree returns an object as a table of paths and values.
export function tree(title, object, open) {
  if (!object) return null;
  const rows = flatten(object).filter((r) => r[1] !== null);
  return element("details", { open }, element("summary", null, title), table([{ title: "name", text: true, cell: (r) => r[0] }, { title: "value", text: true, cell: (r) => String(r[1]) }], rows, { class: "long" }));
}

function configuration(d) {
  const r = d.report;
  const remarks = (d.remarks || []).filter((l) => !(r.notes || []).includes(l));
  return section("configuration", "Configuration",
    r.notes ? element("ul", null, r.notes.map((l) => element("li", null, l))) : null, schedules(r),
    remarks.length ? element("ul", { class: "remarks" }, remarks.map((l) => element("li", null, l))) : null,
    tree("Plan", r.plan), tree("Environment", r.environment), tree("Connections", r.connections), tree("Contents", r.contents), tree("Client, over the benchmark", r.client && r.client.summary));
}

// runPage returns the parts of the page of a run.
export function runPage(d) {
  const r = d.report, shared = group("time");
  const charts = new Map((d.charts || []).map((c) => [key(c), c]));
  const phases = (d.phases || []).filter((p) => p.name !== "prepare");
  const marked = (r.marks || []).map((m) => ({ at: Date.parse(m.at) / 1000, label: m.text }));
  const marks = (phases.length > 1 ? phases.map((p) => ({ at: p.from, label: p.name })) : []).concat(marked);
  const hidden = new Set([...(r.search ? [r.search] : r.searches || []).flatMap((s) => s.trials.filter((t) => t.purpose !== "hold").map((t) => t.phase)), ...(r.sweep ? [r.sweep] : r.sweeps || []).flatMap((s) => s.curves.flatMap((c) => c.points.flatMap((p) => p.phases)))]);
  const few = r.operations.filter((o) => !isPreparation(o) && !hidden.has(o.phase)).length <= 6;
  const measured = (d.charts || []).filter((c) => !isPreparation(c));
  const range = [Math.min(...measured.map((c) => timeRange(c)[0])), Math.max(...measured.map((c) => timeRange(c)[1]))];
  const operations = r.operations.map((o, i) => {
    // Phases one after the other have a time of their own; concurrent operations share it.
    const c = charts.get(key(o));
    return operationSection(o, c, anchor(o, i), isPreparation(o) ? null : group("phase " + o.phase + (c ? c.start : "")), marked, few && !isPreparation(o) && !hidden.has(o.phase));
  });
  const rank = operations.map((box, i) => [box, Number(!box.open) + 2 * Number(isPreparation(r.operations[i]))]).sort((a, b) => a[1] - b[1]);
  return [
    head(r, d.phases || [], d.live && !["over", "reported"].includes(d.live.state) ? d.live.state : null), summary(r, hidden.size > 0), ...(r.search ? [r.search] : r.searches || []).map(searchSection), ...(r.sweep ? [r.sweep] : r.sweeps || []).map(sweepSection), ...(r.load_curves || []).map(loadCurveSection), ...(r.replays || []).map(replaySection),
    overview(d.charts || [], shared, range, marks),
    section("operations", "Operations", rank.map(([box]) => box), d.omitted ? element("p", { class: "note" }, plural(d.omitted, "more kind") + " of operations: their charts are left out of this file.") : null),
    clientSection(d, measured.length > 1 ? shared : group("client"), marks), configuration(d),
  ];
}
