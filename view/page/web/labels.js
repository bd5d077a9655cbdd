// Text on charts: names of vertical lines above the plot, and names of lines at their ends. Both are laid out first, so that none covers
// another or is cut.
const rowHeight = 13; // CSS pixels
const gap = 4;
const mostRows = 3;
const pen = globalThis.document ? document.createElement("canvas").getContext("2d") : null;
const fontOf = (ratio) => 11 * ratio + "px system-ui, sans-serif";

// measure returns the width of a text in CSS pixels.
function measure(text) {
  pen.font = fontOf(1);
  return Math.ceil(pen.measureText(text).width);
}

// placeMarks returns the row, from the plot upwards, and the left edge of each name of a vertical line, null without room. Marks are ascending
// { x, width }. A name is to the right of its line, in a row above those that its text reaches into, so that no line crosses it; where it would be
// cut at the right edge, it is to the left.
export function placeMarks(marks, left, right, rows) {
  const taken = Array.from({ length: rows }, () => []);
  const placed = marks.map(() => null);
  const put = (i, at) => {
    const end = at + marks[i].width;
    const lowest = 1 + Math.max(-1, ...marks.map((m, k) => (k !== i && m.x > at && m.x < end && placed[k] ? placed[k].row : -1)));
    const row = taken.findIndex((list, r) => r >= lowest && list.every(([from, to]) => end + 2 * gap <= from || at >= to + 2 * gap));
    if (row < 0) return;
    taken[row].push([at, end]);
    placed[i] = { row, left: at };
  };
  const late = [];
  marks.map((_, i) => i).reverse().forEach((i) => {
    const { x, width } = marks[i];
    if (x < left - 1 || x > right + 1) return;
    if (x + gap + width <= right) put(i, x + gap);
    else if (x - gap - width >= left) late.push(i);
  });
  for (const i of late) put(i, marks[i].x - gap - marks[i].width);
  return placed;
}

// placeNames returns the middle of each name at the right edge, as near to the end of its line as the others allow; null if there is not
// room for all of them. Ends are heights from top to bottom.
export function placeNames(ends, top, bottom, height) {
  if (ends.length * height > bottom - top) return null;
  const order = ends.map((_, i) => i).sort((a, b) => ends[a] - ends[b]);
  const at = [];
  order.forEach((i, k) => (at[i] = Math.max(ends[i], k === 0 ? top + height / 2 : at[order[k - 1]] + height)));
  order.toReversed().forEach((i, k, list) => (at[i] = Math.min(at[i], k === 0 ? bottom - height / 2 : at[list[k - 1]] - height)));
  return at;
}

const measured = (marks, position) => marks.map((m) => ({ x: position(m.at), width: measure(m.label) }));

// rowsOfMarks returns how many rows of names the marks of a chart need. The axis, whose size is not known yet, takes a part of the width.
export function rowsOfMarks(o, width) {
  const [low, high] = o.range;
  const rows = (plot) => placeMarks(measured(o.marks || [], (at) => ((at - low) / (high - low)) * plot), 0, plot, mostRows).map((p) => (p ? p.row + 1 : 0));
  return Math.max(0, ...[45, 60, 75, 90, 105].flatMap((axis) => rows(width - axis)));
}

// heightOfRows returns what rows of names take above a plot.
export const heightOfRows = (rows) => rows * rowHeight;

// drawMarks draws vertical lines, and the names that have room above the plot. A reader finds the others at the cursor.
export function drawMarks(u, o, colours, rows) {
  if (!o.marks || o.marks.length === 0) return;
  const { ctx, bbox } = u, ratio = devicePixelRatio, left = bbox.left / ratio, right = left + bbox.width / ratio;
  const marks = measured(o.marks, (at) => u.valToPos(at, "x", true) / ratio);
  const placed = placeMarks(marks, left, right, rows);
  ctx.save();
  ctx.strokeStyle = colours.faint;
  ctx.font = fontOf(ratio);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.setLineDash([4 * ratio, 3 * ratio]);
  marks.forEach((m, i) => {
    if (m.x < left - 1 || m.x > right + 1) return;
    const p = placed[i], top = bbox.top - (p ? heightOfRows(p.row + 0.8) * ratio : 0);
    ctx.beginPath();
    ctx.moveTo(Math.round(m.x * ratio), top);
    ctx.lineTo(Math.round(m.x * ratio), bbox.top + bbox.height);
    ctx.stroke();
  });
  placed.forEach((p, i) => { // above the lines
    if (!p) return;
    ctx.fillStyle = colours.paper;
    ctx.fillRect((p.left - 1) * ratio, bbox.top - heightOfRows(p.row + 0.95) * ratio, (marks[i].width + 2) * ratio, heightOfRows(0.9) * ratio);
    ctx.fillStyle = colours.faint;
    ctx.fillText(o.marks[i].label, p.left * ratio, bbox.top - heightOfRows(p.row + 0.5) * ratio);
  });
  ctx.restore();
  u.placedMarks = placed.map((p, i) => p && { ...p, label: o.marks[i].label, width: marks[i].width });
}

// named reports whether the lines of a chart have names at their ends.
const named = (o) => o.series.length > 1 && !o.paint && o.series.every((s) => !s.dots && !s.stepped);
const nameOfLine = (s) => s.name ?? s.label;

// roomForNames returns the width that names of lines take to the right of a plot, 0 if they would take too much of it.
export function roomForNames(o, width) {
  if (!named(o)) return 0;
  const most = Math.max(...o.series.map((s) => measure(nameOfLine(s))));
  return most > width / 5 ? 0 : most + 2 * gap;
}

// endsOf returns the last point in view of each line that is shown.
function endsOf(u, o, strokes) {
  const ratio = devicePixelRatio, { min, max } = u.scales.x;
  return o.series.flatMap((s, i) => {
    const k = u.series[i + 1].show ? u.data[i + 1].findLastIndex((v, k) => v !== null && v !== undefined && u.data[0][k] <= max) : -1;
    if (k < 0 || u.data[0][k] < min) return [];
    return [{ name: nameOfLine(s), stroke: strokes[i], late: u.data[0][k] >= max - 0.15 * (max - min), x: u.valToPos(u.data[0][k], "x", true) / ratio, y: u.valToPos(u.data[i + 1][k], "y", true) / ratio }];
  });
}

// crossed reports whether a line runs through a place for a name.
function crossed(u, x, width, y) {
  const ratio = devicePixelRatio;
  return u.data.slice(1).some((values, i) => u.series[i + 1].show && values.some((v, k) => {
    const at = u.valToPos(u.data[0][k], "x", true) / ratio;
    return v !== null && v !== undefined && at > x && at < x + width && Math.abs(u.valToPos(v, "y", true) / ratio - y) < rowHeight / 2;
  }));
}

// namesOf returns where names of lines go: of those that reach the right edge, next to it; of others, at their end, each name once, if
// nothing else is there.
function namesOf(u, o, strokes) {
  const ratio = devicePixelRatio, right = (u.bbox.left + u.bbox.width) / ratio, ends = endsOf(u, o, strokes), late = ends.filter((e) => e.late);
  const at = placeNames(late.map((e) => e.y), u.bbox.top / ratio, (u.bbox.top + u.bbox.height) / ratio, rowHeight);
  if (!at) return [];
  const placed = late.map((e, i) => ({ ...e, x: right + gap, y: at[i] }));
  for (const e of ends.filter((e) => !e.late).reverse()) {
    const width = measure(e.name), x = e.x + gap;
    const free = placed.every((p) => p.name !== e.name && (Math.abs(p.y - e.y) >= rowHeight || x + width < p.x || p.x + measure(p.name) < x));
    if (free && x + width <= right && !crossed(u, x, width, e.y)) placed.push({ ...e, x });
  }
  return placed;
}

// drawNames draws the names of lines in their colours.
export function drawNames(u, o, strokes, room, paper) {
  u.placedNames = room === 0 ? [] : namesOf(u, o, strokes);
  const { ctx } = u, ratio = devicePixelRatio;
  ctx.save();
  ctx.font = fontOf(ratio);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.strokeStyle = paper;
  ctx.lineWidth = 3 * ratio;
  for (const p of u.placedNames) {
    ctx.fillStyle = p.stroke;
    ctx.strokeText(p.name, p.x * ratio, p.y * ratio);
    ctx.fillText(p.name, p.x * ratio, p.y * ratio);
  }
  ctx.restore();
}
