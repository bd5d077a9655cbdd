// The page of a comparison.
import { element, shape, section, table } from "./dom.js";
import { chart, group } from "./plot.js";
import { chip, warningList, rulesChip, rulesTable } from "./run.js";
import { drawable, preparationLast } from "./kinds.js";
import { spectrumChart, rateOf, timeRange } from "./operation.js";
import { unite } from "./scale.js";
import { duration, throughput, digits, percentage, plural, signedChange, count } from "./format.js";

// figureText formats a metric of a comparison by its unit.
export function figureText(v, unit) {
  switch (unit) {
    case "ns": return duration(v / 1e6);
    case "bytes/s": return throughput(v);
    case "ratio": return percentage(v, 1);
    default: return digits(v) + (unit ? " " + unit : "");
  }
}

const nameOf = (k) => [k.phase, k.total ? "total" : k.op].filter(Boolean).join(" ");

// forest draws an interval of a relative change on a scale that all rows share.
function forest(change, most) {
  if (!change.ci || change.relative === undefined) return null;
  const width = 160, x = (v) => width / 2 + (Math.max(-most, Math.min(most, v)) / most) * (width / 2 - 6);
  return shape("svg", { viewBox: `0 0 ${width} 18`, width, height: 18, class: "forest " + change.verdict, role: "img", "aria-label": signedChange(change.ci.low) + " to " + signedChange(change.ci.high) },
    shape("line", { x1: width / 2, x2: width / 2, y1: 1, y2: 17, class: "zero" }), shape("line", { x1: x(change.ci.low), x2: x(change.ci.high), y1: 9, y2: 9, class: "whisker" }), shape("circle", { cx: x(change.relative), cy: 9, r: 4 }));
}

const verdictChip = (c) => chip({ improved: "good", regressed: "bad" }[c.verdict] || "unclear", c.verdict);

function changeTable(k, reasons) {
  const most = Math.max(0.05, ...k.changes.flatMap((c) => (c.ci ? [Math.abs(c.ci.low), Math.abs(c.ci.high)].filter((v) => v < 1) : [])));
  return table([
    { title: "metric", text: true, cell: (c) => c.metric }, { title: "before", cell: (c) => figureText(c.before.value, c.unit) }, { title: "after", cell: (c) => figureText(c.after.value, c.unit) },
    { title: "change", cell: (c) => (c.relative === undefined ? null : signedChange(c.relative)) }, { title: "interval", cell: (c) => (c.ci ? signedChange(c.ci.low) + " to " + signedChange(c.ci.high) : null) },
    { title: "fewer or more", text: true, cell: (c) => forest(c, most) }, { title: "p", cell: (c) => (c.p_adjusted === undefined ? null : digits(c.p_adjusted)) },
    { title: "verdict", text: true, cell: verdictChip },
    { title: "reason", text: true, cell: (c) => (c.note ? String(reasons.indexOf(c.note) + 1) : null) },
  ], k.changes);
}

// reasonList returns the notes that tables refer to by number, each once.
const reasonList = (reasons) => reasons.length > 0 ? element("ol", { class: "reasons" }, reasons.map((r) => element("li", null, r))) : null;

// byKind returns tables of all kinds of operations, the measured ones first.
function byKind(c, charts) {
  const kinds = preparationLast(c.types);
  const reasons = [...new Set(kinds.flatMap((k) => k.changes.map((x) => x.note).filter(Boolean)))];
  return [reasons.length > 0 ? element("p", { class: "note" }, "Reasons why a change could not be tested:") : null, reasonList(reasons), kinds.map((k) => [element("h3", null, nameOf(k)), changeTable(k, reasons), charts(k)])];
}

const ofKind = (list, k) => (list || []).find((c) => c.op === k.op && (c.phase || "") === (k.phase || ""));

// styleOf returns how the line of a side is drawn; the first is what the others are compared with.
const styleOf = (i) => (i === 0 ? { colour: 6, dash: [5, 4] } : { colour: i < 7 ? i - 1 : i });

function overlays(d, k) {
  const sides = d.sides.map((s, i) => ({ name: s.name, chart: ofKind(s.charts, k), ...styleOf(i) })).filter((s) => s.chart);
  if (sides.length < 2) return null;
  const shared = group("elapsed " + nameOf(k));
  const over = (title, values, unit, log, axis, note) => {
    const timed = sides.filter((s) => s.chart.objects.length > 0 && values(s.chart));
    if (timed.length < 2) return null;
    const charts = timed.map((s) => s.chart), { x, at } = unite(charts), drawn = timed.filter((s) => drawable(values(s.chart)));
    const missing = sides.filter((s) => !drawn.includes(s)).map((s) => s.name);
    const series = drawn.map((s) => ({ label: s.name, values: at(s.chart, values(s.chart)), colour: s.colour, dash: s.dash, width: 1.8 }));
    if (series.length === 0) return null;
    return chart({ title, x, range: [0, Math.max(...charts.map((c) => timeRange(c, 0)[1]))], step: Math.min(...charts.map((c) => c.step_s)), elapsed: true, shared, unit, log, axis, series, note: [missing.length ? "Too short, or with too few operations: " + missing.join(", ") + "." : null, note].filter(Boolean).join(" ") || null });
  };
  const spectra = sides.filter((s) => s.chart.spectrum.latency).map((s) => [s.name, s.chart.spectrum.latency, s.colour, s.dash]);
  const rate = rateOf((sides.find((s) => s.chart.objects.length > 0) || sides[0]).chart); // one without columns knows no unit
  return element("div", { class: "charts", "data-kind": nameOf(k) },
    spectra.length > 1 ? spectrumChart("Latency by percentile", spectra) : null,
    over("Throughput over time", (c) => rateOf(c).values, rate.format, false, rate.axis),
    over("Latency over time, p99", (c) => c.p99, duration, "auto", undefined, "Columns with fewer than ten slower operations are left out."));
}

// verdictOf returns what all figures together say.
function verdictOf(all) {
  const is = (verdict) => all.filter((x) => x.verdict === verdict).length;
  const better = is("improved"), worse = is("regressed");
  if (worse || better) return [worse ? chip("bad", plural(worse, "figure") + " worse") : chip("good", "nothing is worse"), better ? chip("good", plural(better, "figure") + " better") : null];
  return chip("unclear", all.some((x) => x.ci) ? "no change beyond chance" : "nothing could be tested");
}

const note = () => element("p", { class: "note" }, "A change is better or worse only if its interval excludes chance; ~ means that the difference may be chance.");

// runsOf returns what was compared.
const runsOf = (c) => [
  table([
    { title: "operation", text: true, cell: (k) => nameOf(k) }, { title: "before", cell: (k) => count(k.before.operations) }, { title: "after", cell: (k) => count(k.after.operations) },
    { title: "errors before", cell: (k) => count(k.before.errors) }, { title: "errors after", cell: (k) => count(k.after.errors) },
  ], c.types),
  c.params && c.params.length ? [element("h3", null, "Parameters that differ"), table(Object.keys(c.params[0]).map((name) => ({ title: name, text: true, cell: (p) => (typeof p[name] === "string" ? p[name] : JSON.stringify(p[name])) })), c.params)] : null,
  [["Only before", c.only_before], ["Only after", c.only_after]].map(([title, list]) => (list ? element("p", null, title + ": " + list.map(nameOf).join(", ")) : null)),
];

const primary = (c) => c.types.flatMap((k) => k.changes.filter((x) => x.primary));

// overlaySection shows all recordings in the same charts, for each kind of operations that several of them have.
function overlaySection(d) {
  const kinds = new Map();
  for (const s of d.sides) for (const c of s.charts || []) kinds.set(nameOf(c), c);
  return section("overlays", "All recordings", preparationLast([...kinds.values()]).map((k) => {
    const charts = overlays(d, k);
    return charts && [element("h3", null, nameOf(k)), charts];
  }));
}

// comparisonTitle returns the title of the page of a comparison: what was compared.
export function comparisonTitle(d) {
  const list = [d.comparison].flat(), names = [...list[0].before, ...list.flatMap((c) => c.after)];
  return "warp cmp · " + names.slice(0, 4).join(" · ") + (names.length > 4 ? ` and ${names.length - 4} more` : "");
}

// comparisonPage returns the parts of the page of a comparison, or of several with the same recording before.
export function comparisonPage(d) {
  const list = [d.comparison].flat(), c = list[0], several = list.length > 1;
  const side = (label, names) => element("p", { class: "lead" }, element("strong", null, label), names.join(", "));
  const unique = (of) => [...new Set(list.flatMap(of))], warnings = unique((c) => c.warnings), notes = unique((c) => c.notes || []);
  const rules = list.flatMap((c) => c.rules || []);
  const omitted = d.sides.filter((s) => s.omitted).map((s) => s.name + ": charts of " + plural(s.omitted, "kind") + " of operations are left out of this file.");
  const header = element("header", null, element("h1", null, "warp cmp"), side("Before: ", c.before), side("After: ", list.flatMap((c) => c.after)),
    element("div", { class: "chips" }, several ? null : verdictOf(primary(c)), rulesChip(rules), chip("plain", digits(100 * c.confidence) + "% intervals"), warnings.length ? chip("warn", plural(warnings.length, "warning")) : null),
    warningList(warnings), rulesTable(rules), [...notes, ...omitted].map((n) => element("p", { class: "note" }, n)));
  if (!several) return [header, section("changes", "Changes", note(), byKind(c, (k) => overlays(d, k))), section("runs", "Runs", runsOf(c))];
  return [header, overlaySection(d), ...list.map((c, i) => section("after-" + (i + 1), d.sides[i + 1].name, element("div", { class: "chips" }, verdictOf(primary(c))), note(), byKind(c, () => null), element("h3", null, "Runs"), runsOf(c)))];
}
