// live.mjs WARP: follows a real run in two browser pages, one of them over a slow network, next to a reader that never reads. SHOTS and TOOLS
// are as for browser.mjs.
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";
import { chromium, launchOptions, screenshot, sizes } from "./browser.mjs";

const [, , warp] = process.argv;
const work = mkdtempSync(join(tmpdir(), "warp-live-"));
const scenario = new URL("live.warp.yaml", import.meta.url).pathname;

// run starts warp, and returns its page's address and what it prints.
async function run(...args) {
  const child = spawn(warp, [...args, "--http=:0", "--http-linger=10m"], { cwd: work });
  const printed = { out: "", err: "" };
  child.stdout.on("data", (d) => (printed.out += d));
  const url = await new Promise((found, failed) => {
    child.stderr.on("data", (d) => {
      printed.err += d;
      const m = /Serving (http:\S+\/)/.exec(printed.err);
      if (m) found(m[1]);
    });
    child.on("exit", () => failed(new Error("warp ended: " + printed.err)));
  });
  const code = new Promise((done) => child.on("exit", done));
  return { child, url, printed, code };
}

const browser = await chromium.launch(launchOptions);

// open opens the live page, over a network of so many bytes per second if that is given. Requests to anything but its own server are wrong.
async function open(url, size, theme, speed) {
  const page = await browser.newPage({ viewport: { width: size[0], height: size[1] }, colorScheme: theme });
  page.wrong = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && page.wrong.push(m.text()));
  page.on("pageerror", (e) => page.wrong.push(String(e)));
  page.on("request", (r) => r.url().startsWith(url) || r.url().startsWith("blob:") || page.wrong.push("request of " + r.url()));
  if (speed) {
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: speed, uploadThroughput: speed });
  }
  await page.goto(url);
  return page;
}

const state = (page) => page.evaluate(() => document.getElementById("now").className.replace("now ", ""));

const { child, url, printed, code } = await run("run", scenario, "--json", "--benchdata=live");
let failed = 0;
try {
  const fast = await open(url, sizes.desktop, "light");
  const slow = await open(url, sizes.phone, "dark", 20000);
  const never = connect(new URL(url).port, "127.0.0.1", () => never.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  never.pause();
  never.on("error", () => {}); // it is cut off

  // While the run goes on: the charts of an operation grow, and what a reader does stays.
  const columns = () => fast.evaluate(() => Math.max(0, ...[...document.querySelectorAll("figure")].filter((f) => f.plot).map((f) => f.plot.data[0].length)));
  await fast.waitForFunction(() => [...document.querySelectorAll("figure")].some((f) => f.plot && f.plot.data[0].length >= 3), null, { timeout: 60000, polling: 200 });
  assert.equal(await state(fast), "running");
  await fast.evaluate(() => {
    const figure = [...document.querySelectorAll("figure")].find((f) => f.plot);
    figure.mine = true;
    figure.querySelector(".key button").click(); // hides a line
    for (const d of document.querySelectorAll("#configuration details")) d.open = true;
  });
  const before = await columns();
  await fast.waitForFunction((n) => Math.max(...[...document.querySelectorAll("figure")].filter((f) => f.plot).map((f) => f.plot.data[0].length)) >= n + 2, before, { timeout: 60000, polling: 200 });
  const kept = await fast.evaluate(() => {
    const figure = [...document.querySelectorAll("figure")].find((f) => f.mine);
    return { there: Boolean(figure), hidden: figure && !figure.plot.series[1].show, open: [...document.querySelectorAll("#configuration details")].every((d) => d.open), canvases: document.querySelectorAll("figure canvas").length, plots: [...document.querySelectorAll("figure")].filter((f) => f.plot).length };
  });
  assert.deepEqual({ there: kept.there, hidden: kept.hidden, open: kept.open }, { there: true, hidden: true, open: true }, "what a reader did stays");
  assert.doesNotMatch(await fast.textContent("#now"), /\d operations?\b/, "the table alone counts operations, which all are from one moment");
  assert.match(await fast.title(), /^warp run · 127\.0\.0\.1:\d+ · \d{4}-/);
  assert.equal(kept.canvases, kept.plots, "no chart is drawn twice");
  await screenshot(fast, "live-desktop-light");
  await slow.waitForFunction(() => document.getElementById("now").className === "now running", null, { timeout: 60000, polling: 200 });
  await screenshot(slow, "live-phone-dark");

  // Stopped from the page, with a question.
  await fast.click("#stop");
  assert.equal(await fast.textContent("#stop"), "Stop? Click again");
  await fast.click("#stop");
  await fast.waitForFunction(() => document.getElementById("now").className === "now over", null, { timeout: 60000, polling: 200 });
  const report = JSON.parse(printed.out);
  const rows = () => [...document.querySelectorAll("#operations-table tbody tr")].map((r) => r.textContent.replaceAll("\u202f", ""));
  const shown = await fast.evaluate(rows);
  for (const o of report.operations) assert.ok(shown.some((row) => row.startsWith([o.phase, o.op].filter(Boolean).join(" ")) && row.endsWith(String(o.requests))), `row of ${o.phase} ${o.op}: ${shown}`);
  await slow.waitForFunction(() => document.getElementById("now").className === "now over", null, { timeout: 60000, polling: 200 });
  assert.deepEqual(await slow.evaluate(rows), shown, "the slow reader has the same report in the end");
  for (const [name, size] of Object.entries(sizes)) {
    for (const theme of ["light", "dark"]) {
      await fast.setViewportSize({ width: size[0], height: size[1] });
      await fast.emulateMedia({ colorScheme: theme });
      assert.ok((await fast.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `nothing is wider than the window (${name})`);
      await screenshot(fast, `live-over-${name}-${theme}`);
    }
  }
  assert.deepEqual(fast.wrong, []);
  assert.deepEqual(slow.wrong, []);

  // When warp ends, the page says so, and keeps its figures.
  child.kill("SIGINT");
  assert.equal(await code, 130, printed.err);
  console.log(`ok   live page: ${report.operations.length} kinds of operations, ${before} columns and more, stopped from the page`);
} catch (e) {
  failed++;
  console.log(`FAIL live page: ${e.stack}`, printed.err);
  child.kill("SIGKILL");
}
await browser.close();
rmSync(work, { recursive: true, force: true });
process.exitCode = failed > 0 ? 1 : 0;
