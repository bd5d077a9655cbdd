// The page of a comparison.
import { element, shape, section, table } from "./dom.js";
import { chart, group } from "./plot.js";
import { chip, warningList } from "./run.js";
import { spectrumChart, rateOf, timeRange, middles } from "./operation.js";
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

function changeTable(k) {
  const most = Math.max(0.05, ...k.changes.flatMap((c) => (c.ci ? [Math.abs(c.ci.low), Math.abs(c.ci.high)].filter((v) => v < 1) : [])));
  return table([
    { title: "metric", text: true, cell: (c) => c.metric }, { title: "before", cell: (c) => figureText(c.before.value, c.unit) }, { title: "after", cell: (c) => figureText(c.after.value, c.unit) },
    { title: "change", cell: (c) => (c.relative === undefined ? null : signedChange(c.relative)) }, { title: "interval", cell: (c) => (c.ci ? signedChange(c.ci.low) + " to " + signedChange(c.ci.high) : null) },
    { title: "fewer or more", text: true, cell: (c) => forest(c, most) }, { title: "p", cell: (c) => (c.p_adjusted === undefined ? null : digits(c.p_adjusted)) },
    { title: "verdict", text: true, cell: verdictChip }, { title: "", text: true, cell: (c) => c.note || null },
  ], k.changes);
}

const ofKind = (list, k) => (list || []).find((c) => c.op === k.op && (c.phase || "") === (k.phase || ""));

function overlays(d, k) {
  const before = ofKind(d.before, k), after = ofKind(d.after, k);
  if (!before || !after) return null;
  const shared = group("elapsed " + nameOf(k));
  const same = before.step_s === after.step_s && before.objects.length > 0 && after.objects.length > 0;
  const longest = before.objects.length >= after.objects.length ? before : after;
  const over = (title, values, unit, log, axis) => chart({
    title, x: middles(longest, 0), range: timeRange(longest, 0), step: longest.step_s, elapsed: true, shared, unit, log, axis,
    series: [["before", before, 6, [5, 4]], ["after", after, 0]].map(([label, c, colour, dash]) => ({ label, values: middles(longest, 0).map((_, i) => values(c)[i] ?? null), colour, dash, width: 1.8 })),
  });
  return element("div", { class: "charts" },
    before.spectrum.latency && after.spectrum.latency ? spectrumChart("Latency by percentile", [["before", before.spectrum.latency, 6, [5, 4]], ["after", after.spectrum.latency, 0]]) : null,
    same ? over("Throughput over time", (c) => rateOf(c).values, rateOf(before).format, false, rateOf(before).axis) : null,
    same && before.p99 && after.p99 ? over("Latency over time, 99%", (c) => c.p99, duration, "auto") : null);
}

// comparisonPage returns the parts of the page of a comparison.
export function comparisonPage(d) {
  const c = d.comparison;
  const all = c.types.flatMap((k) => k.changes.filter((x) => x.primary));
  const better = all.filter((x) => x.verdict === "improved").length, worse = all.filter((x) => x.verdict === "regressed").length;
  const side = (label, list) => element("p", { class: "lead" }, element("strong", null, label), list.join(", "));
  return [
    element("header", null, element("h1", null, "warp cmp"), side("Before: ", c.before), side("After: ", c.after),
      element("div", { class: "chips" }, worse ? chip("bad", plural(worse, "figure") + " worse") : chip("good", "nothing is worse"), better ? chip("good", plural(better, "figure") + " better") : null, chip("plain", digits(100 * c.confidence) + "% intervals"), c.warnings.length ? chip("warn", plural(c.warnings.length, "warning")) : null),
      warningList([...c.warnings, ...(c.notes || [])])),
    section("changes", "Changes", element("p", { class: "note" }, "A change is better or worse only if its interval excludes chance; ~ means that the difference may be chance."),
      c.types.map((k) => [element("h3", null, nameOf(k)), changeTable(k), overlays(d, k)])),
    section("runs", "Runs", table([
      { title: "operation", text: true, cell: (k) => nameOf(k) }, { title: "before", cell: (k) => count(k.before.operations) }, { title: "after", cell: (k) => count(k.after.operations) },
      { title: "errors before", cell: (k) => count(k.before.errors) }, { title: "errors after", cell: (k) => count(k.after.errors) },
    ], c.types), c.params && c.params.length ? [element("h3", null, "Parameters that differ"), table(Object.keys(c.params[0]).map((name) => ({ title: name, text: true, cell: (p) => (typeof p[name] === "string" ? p[name] : JSON.stringify(p[name])) })), c.params)] : null,
      [["Only before", c.only_before], ["Only after", c.only_after]].map(([title, list]) => (list ? element("p", null, title + ": " + list.map(nameOf).join(", ")) : null))),
  ];
}
