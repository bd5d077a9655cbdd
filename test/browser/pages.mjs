// pages.mjs REPORT.html...: opens reports in Chromium without a network, and checks what they do, at three sizes in both themes. SHOTS and
// TOOLS are as for browser.mjs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";
import { chromium, launchOptions, screenshot, sizes } from "./browser.mjs";
import { onPaper, onPhone, readable, withoutColours } from "./looks.mjs";

const profile = mkdtempSync(join(tmpdir(), "warp-browser-"));
const context = await chromium.launchPersistentContext(profile, { ...launchOptions, offline: true });

// open returns a page with the report in it, and what went wrong on the way.
async function open(path, theme, [width, height]) {
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && wrong.push(m.text()));
  page.on("pageerror", (e) => wrong.push(String(e)));
  page.on("request", (r) => r.url().startsWith("file:") && r.isNavigationRequest() || r.url().startsWith("blob:") || wrong.push("request of " + r.url()));
  page.on("dialog", (d) => (wrong.push("dialog: " + d.message()), d.dismiss()));
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme });
  await page.goto(pathToFileURL(resolve(path)).href);
  await page.waitForSelector("section");
  return { page, wrong };
}

// drawn opens what is closed, and draws all charts.
const drawn = (page) => page.evaluate(() => {
  for (const d of document.querySelectorAll("details")) d.open = true;
  return new Promise((done) => setTimeout(() => {
    dispatchEvent(new Event("beforeprint"));
    dispatchEvent(new Event("afterprint"));
    setTimeout(() => done(document.querySelectorAll("figure").length), 50);
  }, 50));
});

// check compares charts with the data of the file, and uses the keyboard.
async function check(page) {
  const figures = await drawn(page);
  const result = await page.evaluate(() => {
    const data = JSON.parse(document.getElementById("data").textContent);
    const charts = [...document.querySelectorAll("figure")].map((f) => ({ title: f.querySelector(".title").textContent, drawn: Boolean(f.plot) && Object.values(f.plot.scales).every((s) => s.max > s.min), data: f.plot && f.plot.data.map((l) => [...l]), marks: f.options.marks || [], wide: f.scrollWidth > f.clientWidth + 1 }));
    return {
      data, charts, report: data.report || data.comparison, compared: [...document.querySelectorAll(".charts[data-kind]")].map((c) => ({ name: c.dataset.kind, charts: [...c.querySelectorAll("figure")].map((f) => ({ title: f.querySelector(".title").textContent, data: f.plot && f.plot.data.map((l) => [...l]) })) })),
      rules: [...document.querySelectorAll("#rules tbody tr")].map((r) => r.textContent), notes: [...document.querySelectorAll("figure .note")].map((n) => n.textContent),
      overflow: document.documentElement.scrollWidth - innerWidth,
      counts: [...document.querySelectorAll("#operations-table tbody tr")].map((r) => ({ id: r.querySelector("a") && r.querySelector("a").getAttribute("href"), text: r.textContent.replaceAll("\u202f", "") })),
      titles: [...document.querySelectorAll(".operation")].map((d) => ({ id: d.id, charts: [...d.querySelectorAll("figure")].map((f) => ({ title: f.querySelector(".title").textContent, data: f.plot && f.plot.data.map((l) => [...l]) })) })),
    };
  });
  assert.equal(result.charts.filter((c) => !c.drawn).length, 0, "every chart is drawn");
  assert.deepEqual(await page.evaluate(unseen), [], "lines of one or two columns have points");
  assert.ok(result.overflow <= 0, `nothing is wider than the window (${result.overflow}px)`);
  const { data, report } = result;
  const rules = [report || []].flat().flatMap((r) => r.rules || []);
  assert.equal(result.rules.length, rules.length, "rules");
  rules.forEach((r, i) => assert.ok(result.rules[i].includes(r.rule) && result.rules[i].includes(r.verdict) && result.rules[i].includes(r.found), `rule ${result.rules[i]}`));
  if (data.trace) return { figures, checked: checkTrace(data.trace, result) };
  if (data.sides) return { figures, checked: checkCompared(data.sides, result.compared) + " comparisons over time" };
  (report.operations || []).forEach((o, i) => {
    const row = result.counts.find((c) => c.id === "#operation-" + i).text;
    assert.ok(row.includes(o.op) && row.endsWith(String(o.requests)), `row of ${o.op}: ${row}`);
    const c = (data.charts || []).find((x) => x.op === o.op && (x.phase || "") === (o.phase || ""));
    const shown = result.titles.find((t) => t.id === "operation-" + i);
    if (!c || c.objects.length === 0) return; // it was shorter than a segment
    const rest = o.segments && o.segments.rest;
    if (rest) assert.ok(result.notes.some((n) => n.startsWith("Not drawn") && n.replaceAll("\u202f", "").includes(`: ${rest.ops_ended} operation`)), `what is not drawn of ${o.op}: ${result.notes}`);
    const of = (title) => shown.charts.find((x) => x.title === title);
    const rate = of("Throughput over time");
    assert.deepEqual(rate.data[1], c.bytes || (c.objects.some((v) => v > 0) ? c.objects : c.ops), "throughput over time");
    if (c.p50) assert.deepEqual(of("Latency over time").data.slice(1, 5), [c.p99_9, c.p99, c.p90, c.p50], "latency over time");
    if (c.heat) assert.equal(c.heat.cells.flatMap((l) => (l || []).slice(1)).reduce((a, b) => a + b, 0) > 0, true);
  });
  checkLoads(report.load_curves || [], result.charts);
  for (const m of report.marks || []) {
    const marked = result.charts.filter((c) => c.marks.some((x) => x.at === Date.parse(m.at) / 1000 && x.label === m.text)).map((c) => c.title);
    assert.ok(["Throughput over time", "Latency over time"].every((title) => marked.includes(title)), `mark in ${marked}`);
  }
  return { figures, checked: (report.operations || []).length + " kinds of operations" };
}

// unseen returns the lines over time that have too few columns for a line, and no points.
function unseen() {
  return [...document.querySelectorAll("#overview figure")].flatMap(({ plot }) => plot.series.slice(1).filter((s, i) => {
    const columns = plot.data[i + 1].filter((v) => v !== null).length;
    return columns > 0 && columns < 3 && !s.points.show(plot, i + 1);
  }).map((s) => s.label));
}

// print checks that paper cuts no chart, however wide the window is in which it was drawn.
async function print(page) {
  await page.emulateMedia({ media: "print" });
  const cut = await page.evaluate(() => [...document.querySelectorAll("figure")].filter((f) => {
    if (!f.plot) return false;
    f.plot.setSize({ width: 3000, height: f.plot.height });
    return f.querySelector("canvas").getBoundingClientRect().right > f.getBoundingClientRect().right + 1;
  }).length);
  assert.equal(cut, 0, "charts that are cut when printed");
}

// checkLoads compares the charts over the load with the steps of the report.
function checkLoads(curves, charts) {
  const drawn = (title, i) => charts.filter((c) => c.title === title)[i].data;
  curves.forEach((c, i) => {
    const has = (data, level, value) => data[0].some((x, k) => x === level && data.slice(1).some((line) => line[k] === value));
    for (const p of c.steps.filter((p) => p.measured_s > 0)) {
      const level = (p.from + p.to) / 2;
      assert.ok(has(drawn("Throughput by load", i), level, p.bytes_per_sec || p.ops_per_sec), `throughput of ${c.op} at ${level}`);
      if (p.latency_ms) assert.ok(has(drawn("Latency by load", i), level, p.latency_ms.p50), `latency of ${c.op} at ${level}`);
    }
  });
}

// checkTrace compares the page of a trace with its JSON, and returns what it found.
function checkTrace(trace, { counts, charts }) {
  trace.kinds.forEach((k, i) => assert.ok(counts[i].text.startsWith(k.kind + k.operations), `row of ${k.kind}: ${counts[i].text}`));
  const seconds = trace.rates.interval_ns / 1e9, drawn = charts.find((c) => c.title === "Operations per second").data[1];
  trace.rates.operations.slice(0, -1).forEach((n, i) => assert.equal(drawn[i], n / seconds, `rate ${i}`));
  const skew = charts.find((c) => c.title === "Skew");
  assert.deepEqual(skew.data[1], trace.popularity.map((s) => 100 * s.operations), "skew");
  return trace.kinds.length + " kinds of operations";
}

// checkCompared compares charts of several recordings with the data of each, and returns how many kinds of operations have them.
function checkCompared(sides, compared) {
  const nameOf = (c) => [c.phase, c.op].filter(Boolean).join(" ");
  const kinds = new Set(sides.flatMap((s) => s.charts.map(nameOf)));
  let checked = 0;
  for (const name of kinds) {
    const list = sides.flatMap((s) => s.charts.filter((c) => nameOf(c) === name && c.objects.length > 0));
    if (list.length < 2) continue; // only one side has it, or it was shorter than a segment
    const shown = compared.find((c) => c.name === name);
    assert.ok(shown, `charts of ${name}`);
    for (const [title, values] of [["Throughput over time", (c) => (c.bytes && c.bytes.length ? c.bytes : c.objects.some((v) => v > 0) ? c.objects : c.ops)], ["Latency over time, p99", (c) => c.p99]]) {
      const withThem = list.filter(values), some = withThem.some((c) => values(c).some((v) => v !== null));
      const drawn = shown.charts.find((c) => c.title === title);
      assert.equal(Boolean(drawn), withThem.length > 1 && some, `${title} of ${name}`);
      if (!drawn) continue;
      withThem.filter((c) => values(c).some((v) => v !== null)).forEach((c, i) => values(c).forEach((v, column) => {
        const at = drawn.data[0].indexOf((column + 0.5) * c.step_s);
        assert.ok(at >= 0 && drawn.data[i + 1][at] === v, `${title} of ${name}, side ${i}, column ${column}: ${drawn.data[i + 1][at]}, want ${v}`);
      }));
      checked++;
    }
  }
  return checked;
}

// keyboard moves the cursor of the first chart and zooms in and out.
async function keyboard(page) {
  const figure = page.locator("figure").first();
  if (await figure.count() === 0) return;
  await figure.scrollIntoViewIfNeeded();
  await page.waitForFunction((f) => f.plot, await figure.elementHandle()); // it is drawn when it comes into view
  await figure.focus();
  const range = () => figure.evaluate((f) => [f.plot.scales.x.min, f.plot.scales.x.max]);
  const before = await range();
  await page.keyboard.press("Home");
  const read = await figure.evaluate((f) => ({ where: f.querySelector(".where").value, values: [...f.querySelectorAll(".key output")].map((v) => v.value) }));
  assert.ok(read.where !== "" || read.values.some((v) => v !== ""), "the cursor reads values");
  await page.keyboard.press("+");
  const [low, high] = await range();
  assert.ok(high - low < before[1] - before[0], "+ zooms in");
  await page.keyboard.press("Escape");
  assert.deepEqual(await range(), before, "Escape shows all");
  // By the mouse: a range that is dragged.
  const box = await figure.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  const dragged = await range();
  assert.ok(dragged[1] - dragged[0] < before[1] - before[0], "dragging zooms in");
  await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
  assert.deepEqual(await range(), before, "a double click shows all");
}

let failed = 0;
for (const path of process.argv.slice(2)) {
  for (const theme of ["light", "dark"]) {
    for (const [name, size] of Object.entries(sizes)) {
      const what = `${basename(path)}, ${name}, ${theme}`;
      const { page, wrong } = await open(path, theme, size);
      try {
        await keyboard(page);
        const found = await check(page);
        await readable(page);
        if (name === "phone") await onPhone(page);
        await page.evaluate(() => scrollTo(0, 0));
        await screenshot(page, `${basename(path, ".html")}-${name}-${theme}`);
        if (name === "desktop" && theme === "light") {
          await withoutColours(page, "deuteranopia");
          await screenshot(page, `${basename(path, ".html")}-deuteranopia`);
        }
        await print(page);
        if (name === "desktop") await onPaper(page);
        assert.deepEqual(wrong, [], "nothing goes wrong, and nothing is requested");
        console.log(`ok   ${what}: ${found.checked}, ${found.figures} charts`);
      } catch (e) {
        failed++;
        console.log(`FAIL ${what}: ${e.message}`, wrong);
      }
      await page.close();
    }
  }
}
await context.close();
rmSync(profile, { recursive: true, force: true });
process.exitCode = failed > 0 ? 1 : 0;
