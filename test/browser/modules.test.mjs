// Tests of the modules of the HTML report that need no browser: node --test.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const web = new URL("../../view/page/web/", import.meta.url);
const load = (name) => import(new URL(name, web));

test("figures are formatted as in the text report", async () => {
  const format = await load("format.js");
  const units = JSON.parse(readFileSync(new URL("../testdata/units.json", web)));
  for (const [name, cases] of Object.entries(units)) {
    for (const [want, value] of Object.entries(cases)) assert.equal(format[name](value).replaceAll("\u202f", ""), want, `${name} of ${value}`);
  }
  for (const text of [format.digits(12345), format.throughput(12345 * (1 << 20)), format.perSecond(12345, "op")]) assert.match(text, /^12\u202f345/, "thousands are separated everywhere");
  assert.equal(format.duration(null), "–");
  assert.equal(format.count(1234567), "1\u202f234\u202f567");
  assert.equal(format.percentage(1, 10000), "<0.1%");
  assert.equal(format.percentage(9999, 10000), ">99.9%");
  assert.equal(format.percentage(0, 0), "0.0%");
  for (const [p, name] of [[0, "min"], [50, "p50"], [99.9, "p99.9"], [99.99, "p99.99"], [99.999, "p99.999"]]) assert.equal(format.percentileName(p), name);
});

test("ticks of a logarithmic axis lie in its range, at most as many as asked for", async () => {
  const { logTicks, logRange, needsLog } = await load("scale.js");
  for (const [low, high] of [[0.1, 1], [1, 1000], [0.001, 1e6], [3, 4], [1, 1.1], [0.5, 20]]) {
    const ticks = logTicks(low, high, 9);
    assert.ok(ticks.length >= 1 && ticks.length <= 10, `${ticks.length} ticks from ${low} to ${high}`);
    assert.ok(ticks.every((t, i) => t >= low && t <= high && (i === 0 || t > ticks[i - 1])), `${ticks}`);
  }
  assert.equal(logRange([null, 0, undefined]), null);
  assert.equal(needsLog([1, 2, 3]), false);
  assert.equal(needsLog([1, null, 300]), true);
});

test("stacked lists end at their sum", async () => {
  const { stacked } = await load("scale.js");
  assert.deepEqual(stacked([[1, 2], [10, 20], [100, 200]]), [[111, 222], [110, 220], [100, 200]]);
});

test("percentiles are drawn by their nines", async () => {
  const { nines } = await load("scale.js");
  for (const [p, at] of [[0, 0], [90, 1], [99, 2], [99.9, 3]]) assert.ok(Math.abs(nines(p) - at) < 1e-9);
});

test("a cell of the heat map is found by its column and latency", async () => {
  const { cellAt, densest } = await load("heat.js");
  const heat = { bounds: [1, 2, 4, 8], cells: [[0, 5, 0, 7], null, [2, 9]] };
  assert.equal(densest(heat), 9);
  assert.deepEqual(cellAt(heat, 0, 1.5), { low: 1, high: 2, count: 5 });
  assert.deepEqual(cellAt(heat, 2, 4), { low: 4, high: 8, count: 9 });
  assert.equal(cellAt(heat, 1, 3).count, 0);
  assert.equal(cellAt(heat, 0, 9), null);
});

test("colours of the heat map lie between the ends of the palette, and get lighter or darker", async () => {
  const { heatColour } = await load("theme.js");
  const light = (c) => c.match(/\d+/g).reduce((sum, v) => sum + Number(v), 0);
  const shares = [0, 0.25, 0.5, 0.75, 1].map((s) => light(heatColour(s, { heatLow: 0, heatHigh: 1 })));
  assert.deepEqual([...shares].sort((a, b) => a - b), shares);
  assert.equal(heatColour(2, { heatLow: 0, heatHigh: 1 }), heatColour(1, { heatLow: 0, heatHigh: 1 }));
});

test("text that would change the order of text is shown as such", async () => {
  const { visible, flatten } = await load("dom.js");
  assert.equal(visible("a\u202eb\u0007c\n<b>"), "a\ufffdb\ufffdc\n<b>");
  assert.deepEqual(flatten({ a: { b: 1, c: [2, null] } }), [["a.b", 1], ["a.c.0", 2], ["a.c.1", null]]);
});

test("charts with columns of different length are brought to the same times", async () => {
  const { unite } = await load("scale.js");
  const fine = { step_s: 1, objects: [1, 2, 3, 4, 5] }, coarse = { step_s: 2, objects: [10, 20] };
  const { x, at } = unite([fine, coarse]);
  assert.deepEqual(x, [0.5, 1, 1.5, 2.5, 3, 3.5, 4.5]);
  assert.deepEqual(at(fine, fine.objects), [1, 2, 2, 3, 4, 4, 5]);
  assert.deepEqual(at(coarse, [10, null]), [10, 10, 10, null, null, null, null]);
  for (const step_s of [0.1, 0.05, 1 / 3]) {
    const c = { step_s, objects: new Array(400).fill(0).map((_, i) => i) };
    const { at } = unite([c]);
    assert.deepEqual(at(c, c.objects), c.objects, "a chart by itself stays as it is");
  }
});

test("names of vertical lines neither cover one another nor are cut, and no line crosses a name to its left", async () => {
  const { placeMarks } = await load("labels.js");
  for (const xs of [[0, 10, 20, 200, 390], [100, 101, 102], [399], [0, 380, 390, 395], Array.from({ length: 40 }, (_, i) => i * 10)]) {
    const marks = xs.map((x, i) => ({ x, width: 40 + 7 * (i % 5) })), placed = placeMarks(marks, 0, 400, 3);
    const boxes = placed.map((p, i) => p && { ...p, right: p.left + marks[i].width, x: marks[i].x }).filter(Boolean);
    assert.ok(boxes.length >= Math.min(3, xs.length), `${boxes.length} names of ${xs}`);
    for (const a of boxes) {
      assert.ok(a.left >= 0 && a.right <= 400 && a.row < 3, `${JSON.stringify(a)} is cut`);
      for (const b of boxes) {
        assert.ok(a === b || a.row !== b.row || a.right < b.left || b.right < a.left, `${JSON.stringify(a)} and ${JSON.stringify(b)}`);
        assert.ok(a.left < a.x || b.x <= a.x || b.x >= a.right || b.row < a.row, `the line of ${JSON.stringify(b)} crosses ${JSON.stringify(a)}`);
      }
    }
  }
  assert.deepEqual(placeMarks([{ x: -50, width: 10 }, { x: 500, width: 10 }], 0, 400, 3), [null, null], "lines outside of the plot have no names");
  assert.deepEqual(placeMarks([{ x: 5, width: 10 }], 0, 400, 0), [null]);
});

test("names at the ends of lines stay apart, in the plot, and in order", async () => {
  const { placeNames } = await load("labels.js");
  assert.deepEqual(placeNames([50, 150], 0, 200, 13), [50, 150]);
  for (const ends of [[100, 101, 102, 99], [0, 0, 0], [200, 199, 200], [10, 190, 190, 12]]) {
    const at = placeNames(ends, 0, 200, 13), sorted = [...at].sort((a, b) => a - b);
    assert.ok(sorted[0] >= 6.5 && sorted.at(-1) <= 193.5 && sorted.every((v, i) => i === 0 || v - sorted[i - 1] >= 13), `${ends}: ${at}`);
    ends.forEach((a, i) => ends.forEach((b, k) => assert.ok(a >= b || at[i] < at[k], `${ends}: ${at}`)));
  }
  assert.equal(placeNames(new Array(20).fill(5), 0, 200, 13), null, "there is not room for all");
});

test("latency over time has the highest percentile that all kinds have, and says what is missing", async () => {
  const { commonPercentile } = await load("kinds.js");
  const kind = (op, p99, p90, p50 = p90) => ({ op, ops: p50.map(() => 10), p99, p90, p50 });
  const full = new Array(20).fill(1), none = new Array(20).fill(null), holes = full.map((v, i) => (i < 10 ? v : null)), end = full.map((v, i) => (i < 19 ? v : null));
  assert.deepEqual(commonPercentile([kind("GET", full, full), kind("PUT", end, full)]), { key: "p99", note: null });
  const some = commonPercentile([kind("GET", full, full), kind("PUT", holes, full), kind("DELETE", none, full)]);
  assert.equal(some.key, "p90");
  assert.match(some.note, /p99 needs at least 1\u202f000 operations in a column, which PUT, DELETE do not have/);
  const few = commonPercentile([kind("GET", none, none, holes), kind("LIST", none, none, none)]);
  assert.equal(few.key, "p50");
  assert.match(few.note, /Not drawn, with too few operations: LIST\. Gaps: columns with fewer than 20 operations/);
  const idle = { ...kind("GET", holes, full), ops: full.map((_, i) => (i < 10 ? 5 : 0)) };
  assert.equal(commonPercentile([idle]).key, "p99", "columns without operations need no percentile");
});

test("dashes tell lines apart that have different colours", async () => {
  const { dashOf, palette } = await load("theme.js");
  const all = palette().list.map((_, i) => String(dashOf(i)));
  assert.equal(new Set(all).size, all.length, all.join(" "));
  assert.equal(dashOf("ink"), undefined);
});
