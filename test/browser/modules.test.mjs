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
    for (const [want, value] of Object.entries(cases)) assert.equal(format[name](value), want, `${name} of ${value}`);
  }
  assert.equal(format.duration(null), "–");
  assert.equal(format.count(1234567), "1\u202f234\u202f567");
  assert.equal(format.percentage(1, 10000), "<0.1%");
  assert.equal(format.percentage(9999, 10000), ">99.9%");
  assert.equal(format.percentage(0, 0), "0.0%");
  for (const [p, name] of [[0, "0%"], [50, "50%"], [99.9, "99.9%"], [99.99, "99.99%"], [99.999, "99.999%"]]) assert.equal(format.percentileName(p), name);
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
