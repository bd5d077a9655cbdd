// Charts: a figure with a title, a canvas drawn by uPlot, and a key that shows the values at the cursor. Charts over time
// share their range and their cursor. A figure takes the focus: arrows move the cursor, + and - zoom, Escape shows all.
import { element, shape } from "./dom.js";
import { palette, onTheme, translucent, dashOf } from "./theme.js";
import { clockTime, size, span, throughputTick } from "./format.js";
import { logRange, logTicks, needsLog } from "./scale.js";
import { drawMarks, drawNames, heightOfRows, roomForNames, rowsOfMarks } from "./labels.js";

const font = "12px system-ui, sans-serif";
const all = new Set(); // figures whose chart is drawn
const waiting = new Map(); // figure → what draws it, once it is in view

const watcher = new IntersectionObserver((entries) => {
  for (const e of entries) if (e.isIntersecting) drawNow(e.target);
}, { rootMargin: "600px" });

const resizer = new ResizeObserver((entries) => {
  for (const e of entries) fit(e.target.closest("figure"));
});

function drawNow(figure) {
  const draw = waiting.get(figure);
  if (!draw) return;
  waiting.delete(figure);
  watcher.unobserve(figure);
  draw();
  all.add(figure);
}

// drawAll draws the charts that are not in view too, to be printed.
export function drawAll() {
  for (const figure of [...waiting.keys()]) drawNow(figure);
}

function fit(figure) {
  const plot = figure && figure.plot;
  if (!plot) return;
  const width = Math.floor(figure.querySelector(".canvas").clientWidth);
  if (width > 0 && width !== plot.width) plot.setSize({ width, height: plot.height });
}

onTheme(() => {
  for (const figure of all) figure.redraw();
});

const groups = new Map();

// group returns what charts over the same time share.
export function group(name) {
  if (!groups.has(name)) groups.set(name, { name, plots: new Set(), zoom: null, busy: false });
  return groups.get(name);
}

// forget frees what a figure holds that leaves the page.
export function forget(figure) {
  waiting.delete(figure);
  all.delete(figure);
  watcher.unobserve(figure);
  if (!figure.plot) return;
  if (figure.options.shared) figure.options.shared.plots.delete(figure.plot);
  figure.plot.destroy();
  figure.plot = null;
}

// adopt has a figure show the data of a newer one.
function adopt(figure, next) {
  const o = figure.options, labels = (of) => [...of.series, ...(of.marks || [])].map((s) => s.label).join("\n");
  const alike = labels(o) === labels(next.options);
  Object.assign(o, next.options, { chosen: o.chosen });
  forget(next);
  const plot = figure.plot;
  if (!plot) return; // it is drawn when it comes into view
  if (!alike || isLog(o) !== plot.log) return figure.redraw();
  plot.starting = true;
  plot.whole = o.range;
  plot.setData([o.x, ...o.series.map((s) => s.values)], false);
  const range = (o.shared || o).zoom || o.range;
  plot.setScale("x", { min: range[0], max: range[1] });
  plot.starting = false;
}

const isLog = (o) => (o.log === "auto" ? needsLog(o.series.filter((s) => !s.hidden).flatMap((s) => s.values)) : Boolean(o.log));

function share(shared, min, max) {
  if (shared.busy) return;
  shared.busy = true;
  shared.zoom = min === null ? null : [min, max];
  for (const plot of shared.plots) plot.setScale("x", min === null ? { min: plot.whole[0], max: plot.whole[1] } : { min, max });
  shared.busy = false;
}

// chart returns the figure of a chart:
//   title, note    text above and below
//   x              positions, ascending, in the middle of columns
//   range          of x, all of it
//   series         list of { label, values, colour, width, dash, hidden, area, points, dots, hollow, stepped, format, joined, name }; lines of
//                  a numbered colour have its dashes too, unless they have their own
//   bands          pairs of series between which is filled, with an opacity
//   unit           of y, a function that formats it
//   log            true, false, or "auto"
//   time           x is in seconds of Unix time; step is the length of a column
//   marks          list of { at, label } of vertical lines
//   ticks, xName   positions of ticks of x and their text, if it is no time
//   xTitle, yTitle names of the axes, if the title does not say it
//   paint          draws below the series
//   readout        text about a position of the cursor, next to the key
//   shared         a group
export function chart(o) {
  const box = element("div", { class: "canvas" });
  const key = element("div", { class: "key" });
  const where = element("output", { class: "where" });
  const figure = element("figure", { tabindex: 0, role: "group", "aria-label": o.title + ". Arrow keys read values, plus and minus zoom, Escape shows all." },
    element("figcaption", null, element("span", { class: "title" }, o.title), where), box, key, o.note ? element("p", { class: "note" }, o.note) : null);
  figure.options = o;
  o.chosen = new Map(); // lines that the reader shows or hides
  figure.adopt = (next) => adopt(figure, next);
  figure.redraw = () => {
    const old = figure.plot;
    if (old) {
      if (o.shared) o.shared.plots.delete(old);
      old.destroy();
    }
    key.replaceChildren();
    figure.plot = build(o, figure, box, key, where);
  };
  figure.addEventListener("keydown", (e) => steer(e, figure.plot, o));
  waiting.set(figure, () => {
    figure.redraw();
    resizer.observe(box);
  });
  watcher.observe(figure);
  return figure;
}

function build(o, figure, box, key, where) {
  const colours = palette();
  const log = isLog(o);
  const colourOf = (s) => (typeof s.colour === "number" ? colours.list[s.colour % colours.list.length] : colours[s.colour]);
  const shows = (s) => o.chosen.get(s.label) ?? !s.hidden;
  const items = o.series.map((s) => keyItem(s, colourOf(s), shows(s), colours.paper));
  const width = Math.max(240, Math.floor(box.clientWidth)), height = o.height || 220;
  const room = roomForNames(o, width), rows = rowsOfMarks(o, width - Math.max(10, room));
  const options = {
    width, height: height + heightOfRows(rows), legend: { show: false },
    padding: [8 + heightOfRows(rows), Math.max(10, room), 0, 0],
    scales: { x: { time: false, range: (u, min, max) => [min, max] }, y: { distr: log ? 3 : 1, range: (u, min, max) => yRange(u, min, max, log, o.bounds) } },
    series: [{}, ...o.series.map((s) => line(s, colourOf(s), shows(s), colours.paper))],
    bands: (o.bands || []).map(([a, b, opacity]) => ({ series: [a + 1, b + 1], fill: translucent(colourOf(o.series[a]), opacity) })),
    axes: axesOf(o, colours, log),
    cursor: { drag: { x: true, y: false }, points: { size: 7 }, ...(o.shared ? { sync: { key: o.shared.name, setSeries: false } } : {}) },
    hooks: {
      drawClear: o.paint ? [(u) => o.paint(u, colours)] : [],
      draw: [(u) => drawMarks(u, o, colours, rows), (u) => drawNames(u, o, o.series.map(colourOf), room, colours.paper)],
      setCursor: [(u) => readAt(u, o, items, where)],
      setScale: [(u, name) => name === "x" && !u.starting && keepRange(u, o)],
    },
  };
  const range = (o.shared || o).zoom || o.range;
  const plot = new uPlot(options, [o.x, ...o.series.map((s) => s.values)], (u, ready) => {
    u.starting = true;
    box.replaceChildren(u.root);
    ready();
  });
  plot.whole = o.range;
  plot.log = log;
  plot.setScale("x", { min: range[0], max: range[1] });
  plot.starting = false;
  plot.over.addEventListener("dblclick", () => whole(plot, o));
  if (o.shared) o.shared.plots.add(plot);
  items.forEach((item, i) => {
    item.onclick = () => {
      const on = !plot.series[i + 1].show;
      o.chosen.set(o.series[i].label, on);
      plot.setSeries(i + 1, { show: on });
      item.setAttribute("aria-pressed", on);
    };
  });
  key.append(...items);
  return plot;
}

// keepRange keeps what a chart, or its group, shows, for when it is drawn again.
function keepRange(u, o) {
  const { min, max } = u.scales.x;
  const all = min === o.range[0] && max === o.range[1];
  if (o.shared) share(o.shared, all ? null : min, max);
  else o.zoom = all ? null : [min, max];
}

function whole(plot, o) {
  if (o.shared) share(o.shared, null);
  else plot.setScale("x", { min: o.range[0], max: o.range[1] });
}

// axesOf returns the axes of a chart.
function axesOf(o, colours, log) {
  const named = (title) => (title ? { label: title, labelSize: 18, labelFont: font, labelGap: 0 } : {});
  const axis = { stroke: colours.faint, font, grid: { show: !o.paint, stroke: colours.grid, width: 1 }, ticks: { stroke: colours.grid, width: 1, size: 4 } };
  const y = { values: (u, ticks) => ticks.map((v) => (v === null ? "" : (o.axis || o.unit)(v))), incrs: o.axis === throughputTick || o.unit === size ? byteSteps : undefined };
  const logarithmic = { splits: (u) => logTicks(u.scales.y.min, u.scales.y.max, 9), filter: (u, t) => t };
  return [
    { ...axis, size: 30, ...xTicks(o), ...named(o.xTitle) },
    { ...axis, size: (u, texts) => 16 + 6.6 * Math.max(4, ...(texts || []).map((t) => t.length)), ...y, ...(log ? logarithmic : {}), ...named(o.yTitle) },
  ];
}

const dashOfLine = (s) => s.dash ?? (s.area || s.stepped ? undefined : dashOf(s.colour));

function line(s, colour, show, paper) {
  return {
    label: s.label, stroke: s.stepped ? paper : colour, width: s.width ?? 1.5, dash: dashOfLine(s), show, fill: s.area ? translucent(colour, s.area) : undefined, spanGaps: s.joined || false,
    points: { show: s.points ?? s.values.filter((v) => v !== null).length < 3, size: s.points ? 7 : 5, fill: s.points ? colour : undefined },
    ...(s.stepped ? { paths: uPlot.paths.bars({ size: [1, Infinity], gap: 0, align: 0 }), points: { show: false } } : {}),
    ...(s.dots ? { paths: () => null, points: { show: true, size: s.dots, width: 2, fill: s.hollow ? paper : colour } } : {}),
  };
}

// keyItem returns the button of a line in the key, which shows its colour, width and dashes, or its dots.
function keyItem(s, colour, show, paper) {
  const sample = s.dots ? shape("circle", { cx: 13, cy: 5, r: s.dots / 2 - 1, stroke: colour, "stroke-width": 2, fill: s.hollow ? paper : colour })
    : shape("line", { x1: 0, x2: 26, y1: 5, y2: 5, stroke: colour, "stroke-width": s.area || s.stepped ? 4 : (s.width ?? 1.5) * 1.3, "stroke-dasharray": (dashOfLine(s) || []).join(" ") || null });
  return element("button", { type: "button", "aria-pressed": String(show), title: "show or hide" },
    shape("svg", { class: "swatch", viewBox: "0 0 26 10", width: 26, height: 10, "aria-hidden": "true" }, sample), element("span", null, s.label), element("output", null));
}

function yRange(u, min, max, log, bounds) {
  if (bounds) return bounds;
  if (log) return logRange([min, max].filter((v) => v !== null)) || [1, 10];
  return [0, max > 0 ? max * 1.08 : 1];
}

function xTicks(o) {
  if (o.ticks) return { splits: () => o.ticks.map((t) => t[0]), values: () => o.ticks.map((t) => t[1]), filter: (u, t) => t };
  if (o.time) return { space: 80, incrs: timeSteps, values: (u, ticks, axis, space, incr) => ticks.map((t) => clockTime(t, incr)) };
  if (o.elapsed) return { space: 60, incrs: timeSteps, values: (u, ticks) => ticks.map((t) => span(t * 1000)) };
  return { values: (u, ticks) => ticks.map((t) => (o.xName ? o.xName(t) : String(t))) };
}

const byteSteps = Array.from({ length: 13 }, (_, e) => [1, 2, 5].map((m) => m * 10 ** (e - 5) * (1 << 20))).flat();
const timeSteps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

function readAt(u, o, items, where) {
  const i = u.cursor.idx;
  const known = i !== null && i !== undefined && u.cursor.left >= 0;
  o.series.forEach((s, k) => {
    const v = known ? (s.shown || s.values)[i] : null;
    items[k].lastChild.value = !known ? "" : v === null || v === undefined ? "–" : (s.format || o.unit)(v);
  });
  if (!known) {
    where.value = "";
    return;
  }
  const text = o.readout ? o.readout(u, i) : "";
  const name = o.time ? clockTime(o.x[i] - o.step / 2, o.step) + ", " + span(o.step * 1000) : o.elapsed ? span(o.x[i] * 1000) : o.xName ? o.xName(o.x[i]) : "";
  const mark = o.time ? (o.marks || []).findLast((m) => m.at <= o.x[i]) : null;
  where.value = [name, mark && mark.label, text].filter(Boolean).join(" · ");
}

// steer moves the cursor, and zooms, by the keyboard.
function steer(e, plot, o) {
  if (!plot || e.ctrlKey || e.metaKey || e.altKey) return;
  const last = o.x.length - 1;
  const at = plot.cursor.idx ?? -1;
  const stride = e.shiftKey ? 10 : 1;
  const { min, max } = plot.scales.x;
  const middle = at >= 0 ? o.x[at] : (min + max) / 2;
  const zoom = (factor) => {
    const low = Math.max(o.range[0], middle - (middle - min) * factor), high = Math.min(o.range[1], middle + (max - middle) * factor);
    if (o.shared) share(o.shared, low, high);
    else plot.setScale("x", { min: low, max: high });
  };
  const go = (i) => plot.setCursor({ left: plot.valToPos(o.x[Math.min(last, Math.max(0, i))], "x"), top: plot.over.clientHeight / 2 });
  const action = {
    ArrowRight: () => go(at + stride), ArrowLeft: () => go(at < 0 ? last : at - stride), Home: () => go(0), End: () => go(last),
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: () => whole(plot, o), Escape: () => whole(plot, o),
  }[e.key];
  if (!action) return;
  e.preventDefault();
  action();
}
