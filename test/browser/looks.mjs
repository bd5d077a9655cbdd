// looks.mjs: what a reader sees of a report: whether it can be read without colours, on a phone, and on paper.
import assert from "node:assert/strict";

// titles of the pages that run.sh makes.
const titles = {
  report: /^warp (mixed|run|replay|get|search get|sweep get) · \S+( and \d+ more)? · \d{4}-\d\d-\d\d \d\d:\d\d$/, trace: /^warp trace · ibm-cos$/, comparison: /^warp cmp · \S+\.csv\.zst( · \S+\.csv\.zst)+$/,
};

// readable checks charts and tables; all charts are drawn.
export async function readable(page) {
  const wrong = await page.evaluate(`(() => {
${checks.join("\n")}
return [alike(), samples(), names(), headers(), holes()].flat(); })()`);
  assert.deepEqual(wrong, [], "what a reader cannot tell apart or read");
  const { kind, title } = await page.evaluate(() => {
    const d = JSON.parse(document.getElementById("data").textContent);
    return { kind: d.report ? "report" : d.trace ? "trace" : "comparison", title: document.title };
  });
  if (!title.includes("alert")) assert.match(title, titles[kind]);
  assert.ok(await page.evaluate(() => [document.querySelector("nav"), document.querySelector(".links")].every((e) => e.scrollWidth <= e.clientWidth)), "navigation is cut");
  assert.deepEqual(await page.evaluate(latencyOverTime), [], "latency over time");
  assert.deepEqual(await page.evaluate(summary), [], "cards and rows of the summary");
  assert.deepEqual(await page.evaluate(comparison), [], "comparison");
}

// checks are functions for the page that return what is wrong.
const checks = [
  // alike returns the lines of a chart that only their colours tell apart while both are there.
  function alike() {
    const ends = (values) => [values.findIndex((v) => v !== null), values.findLastIndex((v) => v !== null)];
    return figures().flatMap(({ plot, title, options }) => {
      const lines = plot.series.slice(1).map((s, i) => ({ label: s.label, style: [s.dash, s.width, options.series[i].dots, options.series[i].hollow].join("/"), stepped: options.series[i].stepped, values: plot.data[i + 1], ends: ends(plot.data[i + 1]) }));
      return lines.flatMap((a, i) => lines.slice(i + 1).filter((b) => !a.stepped && a.style === b.style && a.ends[0] >= 0 && a.ends[0] <= b.ends[1] && b.ends[0] <= a.ends[1]).map((b) => `${title}: ${a.label} and ${b.label} look the same`));
    });
  },
  // samples returns the lines whose sample in the key is not drawn as they are.
  function samples() {
    return figures().flatMap(({ key, plot, title, options }) => plot.series.slice(1).filter((s, i) => {
      const line = key[i].querySelector("line");
      return line && !options.series[i].dots && (line.getAttribute("stroke-dasharray") || "") !== (s.dash || []).join(" ");
    }).map((s) => `${title}: sample of ${s.label}`));
  },
  // names returns texts on charts that cover one another, or are cut.
  function names() {
    return figures().flatMap(({ plot, title }) => {
      const marks = (plot.placedMarks || []).filter(Boolean), ends = plot.placedNames || [];
      return [
        ...marks.filter((m) => m.left < 0 || m.left + m.width > plot.width).map((m) => `${title}: ${m.label} is cut`),
        ...marks.flatMap((a, i) => marks.slice(i + 1).filter((b) => a.row === b.row && a.left < b.left + b.width && b.left < a.left + a.width).map((b) => `${title}: ${a.label} and ${b.label} collide`)),
        ...ends.flatMap((a, i) => ends.slice(i + 1).filter((b) => Math.abs(a.y - b.y) < 12 && Math.abs(a.x - b.x) < 6).map((b) => `${title}: ${a.name} and ${b.name} collide`)),
      ];
    });
  },
  // headers returns the columns of tables with the same name, which only a second row of headers would tell apart.
  function headers() {
    return [...document.querySelectorAll("table")].flatMap((t) => [...t.querySelectorAll("th")].map((h) => h.textContent).filter((h, i, all) => h !== "" && all.indexOf(h) < i).map((h) => "two columns " + h));
  },
  // holes returns the rows that lack a percentile although they have a higher one.
  function holes() {
    return [...document.querySelectorAll("table")].flatMap((t) => {
      const columns = [...t.querySelectorAll("th")].map((h, i) => [parseFloat((/^p([\d.]+)$/.exec(h.textContent) || [])[1]), i]).filter(([p]) => p > 0).sort((a, b) => a[0] - b[0]);
      return [...t.querySelectorAll("tbody tr")].flatMap((r) => columns.filter(([, i], k) => r.cells[i].textContent === "" && columns.slice(k + 1).some(([, j]) => r.cells[j].textContent !== "")).map(([p]) => `p${p} of ${r.cells[0].textContent}`));
    });
  },
  function figures() {
    return [...document.querySelectorAll("figure")].filter((f) => f.plot).map((f) => ({ plot: f.plot, options: f.options, title: f.querySelector(".title").textContent, key: f.querySelectorAll(".key button") }));
  },
];

// latencyOverTime returns the kinds of operations that are neither drawn nor named, and what the key has without a line.
function latencyOverTime() {
  const figure = [...document.querySelectorAll("#overview figure")].find((f) => /^Latency, p\d+$/.test(f.querySelector(".title").textContent));
  if (!figure) return [];
  const d = JSON.parse(document.getElementById("data").textContent), key = figure.querySelector(".title").textContent.slice(9);
  const note = figure.querySelector(".note") ? figure.querySelector(".note").textContent : "";
  const name = (c) => [c.phase, c.op].filter(Boolean).join(" ");
  const gaps = (values) => values.filter((v) => v === null).length > Math.max(1, values.length / 10); // of columns with operations
  const charts = d.charts.filter((c) => c.phase !== "prepare" && c.p50 && c.objects.length > 0).slice(0, 12);
  const drawn = figure.plot.series.slice(1).map((s, i) => ({ label: s.label, values: figure.plot.data[i + 1] }));
  return [
    ...charts.filter((c) => !drawn.some((l) => l.label === name(c)) && !note.includes(name(c))).map((c) => name(c) + " is missing without a word"),
    ...drawn.filter((l) => l.values.every((v) => v === null)).map((l) => l.label + " is in the key only"),
    ...charts.filter((c) => c[key].some((v) => v !== null) && gaps(c[key].filter((_, i) => c.ops[i] > 0)) && !note.includes("Gaps")).map((c) => name(c) + " has gaps"),
    ...(key === "p99" || note.includes("p99 needs at least") ? [] : ["no word about p99"]),
  ];
}

// summary returns what is missing on top of the report of a run.
function summary() {
  const table = document.getElementById("operations-table"), d = JSON.parse(document.getElementById("data").textContent);
  if (!table || !d.report) return [];
  const cards = [...document.querySelectorAll("#summary .card .name")].map((n) => n.textContent), titles = [...table.querySelectorAll("th")].map((h) => h.textContent);
  const trials = d.report.search || d.report.sweep, rows = [...table.querySelectorAll("tbody tr")].map((r) => r.cells[0].textContent.startsWith("prepare "));
  return [
    ...(cards.includes("errors") ? [] : ["no card of errors"]), ...(trials || cards.some((c) => /^(highest )?p\d+$/.test(c)) ? [] : ["no card of a percentile"]),
    ...(trials || cards.some((c) => /(throughput|rate)$/.test(c)) ? [] : ["no card of throughput"]),
    ...(titles[1] === "throughput" && titles.at(-1) === "operations" ? [] : ["columns " + titles]), ...(rows.lastIndexOf(false) > rows.indexOf(true) && rows.includes(true) ? ["the preparation comes first"] : []),
  ];
}

// comparison returns what is wrong with the counts, the order and the reasons of a comparison.
function comparison() {
  const d = JSON.parse(document.getElementById("data").textContent);
  if (!d.sides) return [];
  const pill = [...document.querySelectorAll(".chip")].map((c) => (/(\d+) warnings?$/.exec(c.textContent) || [])[1]).find(Boolean) || 0, listed = document.querySelectorAll("header .warnings li").length;
  const wrong = Number(pill) === listed ? [] : [`${pill} warnings announced, ${listed} listed`];
  for (const list of document.querySelectorAll("section .reasons")) {
    const reasons = [...list.children].map((l) => l.textContent), section = list.closest("section");
    if (new Set(reasons).size < reasons.length) wrong.push("a reason twice");
    for (const r of reasons) if (section.textContent.split(r).length > 2) wrong.push("repeated: " + r);
  }
  for (const section of document.querySelectorAll("section")) {
    const kinds = [...section.querySelectorAll("h3")].map((h) => h.textContent).filter((t) => t !== "Runs" && t !== "Parameters that differ"), first = kinds.findIndex((t) => t.startsWith("prepare "));
    if (first >= 0) wrong.push(...kinds.slice(first).filter((t) => !t.startsWith("prepare ")).map((t) => t + " comes after the preparation"));
  }
  for (const box of document.querySelectorAll(".charts[data-kind]")) {
    const bytes = d.sides.some((s) => s.charts.some((c) => [c.phase, c.op].filter(Boolean).join(" ") === box.dataset.kind && c.bytes && c.bytes.length > 0));
    for (const f of box.querySelectorAll("figure")) if (f.querySelector(".title").textContent === "Throughput over time" && f.options.unit(1).includes("MiB/s") !== bytes) wrong.push("unit of " + box.dataset.kind);
  }
  for (const figure of document.querySelectorAll("figure")) for (const [i, s] of figure.options.series.entries()) if (s.values.every((v) => v === null)) wrong.push(`${figure.querySelector(".title").textContent}: line ${i} is in the key only`);
  return wrong;
}

// onPhone checks that a phone shows throughput and p99 without scrolling, and all links.
export async function onPhone(page) {
  assert.deepEqual(await page.evaluate(() => {
    const wrong = [], table = document.getElementById("operations-table");
    if (table && document.title.match(/^warp (mixed|get) /)) {
      for (const h of table.querySelectorAll("th")) if (["throughput", "p99"].includes(h.textContent) && h.getBoundingClientRect().right > table.parentElement.getBoundingClientRect().right) wrong.push(h.textContent + " is out of view");
    }
    for (const box of document.querySelectorAll(".scroll")) if (box.scrollWidth > box.clientWidth && !getComputedStyle(box).backgroundAttachment.includes("local")) wrong.push("no sign that a table scrolls");
    return wrong;
  }), [], "on a phone");
  const menu = page.locator(".menu"), links = page.locator("nav .links a");
  await menu.click();
  assert.equal(await menu.getAttribute("aria-expanded"), "true");
  for (const link of await links.all()) assert.ok(await link.isVisible(), "the menu shows all links");
  await links.last().click();
  assert.ok(!(await links.first().isVisible()), "the menu closes");
}

// Paper of A4 within the margins of the style, in CSS pixels.
const paper = [703, 1032];

// onPaper checks a report as it is printed, in columns of the size of a page, which break as pages do.
export async function onPaper(page) {
  await page.setViewportSize({ width: paper[0], height: paper[1] });
  await page.emulateMedia({ media: "print" });
  const wide = await page.evaluate((width) => [...document.querySelectorAll("table, figure, .chips, .cards, pre")].filter((e) => e.getBoundingClientRect().right > width + 1).map((e) => e.tagName + " " + e.textContent.slice(0, 40)), paper[0]);
  assert.deepEqual(wide, [], "wider than the paper");
  const { alone, empty } = await page.evaluate(([width, height]) => {
    const main = document.getElementById("page"), gap = 40;
    main.style.cssText = `width: ${width}px; height: ${height}px; columns: ${width}px auto; column-gap: ${gap}px; column-fill: auto; padding: 0; margin: 0`;
    const sheet = (e) => Math.floor((e.getBoundingClientRect().left - main.getBoundingClientRect().left) / (width + gap));
    const shown = (e) => e.getClientRects().length > 0;
    const leaves = [...main.querySelectorAll("h1, h2, h3, h4, figure, tr, p, li, .card, .chip")].filter(shown);
    const alone = leaves.filter((e, i) => /^H\d$/.test(e.tagName) && i + 1 < leaves.length && sheet(leaves[i + 1]) !== sheet(e)).map((e) => e.textContent);
    const filled = [];
    for (const e of leaves) filled[sheet(e)] = Math.max(filled[sheet(e)] || 0, e.getBoundingClientRect().bottom - main.getBoundingClientRect().top);
    return { alone, empty: filled.slice(0, -1).map((f, i) => [i + 1, Math.round((100 * (f || 0)) / height)]).filter(([, share]) => share < 50) };
  }, paper);
  assert.deepEqual(alone, [], "headings alone at the foot of a page");
  assert.deepEqual(empty, [], "pages that are half empty, and by how much they are filled");
}

// withoutColours has the page drawn as people without a pigment see it.
export async function withoutColours(page, type) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setEmulatedVisionDeficiency", { type });
}
