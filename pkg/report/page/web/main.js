// The page: reads the data, puts its parts in place, and serves the buttons.
import { element } from "./dom.js";
import { drawAll } from "./plot.js";
import { watchTheme, toggleTheme, setPrinting } from "./theme.js";
import { runPage } from "./run.js";
import { comparisonPage } from "./compare.js";

// download saves text as a file.
function download(name, type, text) {
  const link = element("a", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// columnsAsText returns what charts show over time, tab separated.
function columnsAsText(charts) {
  const names = ["bytes", "objects", "ops", "p50", "p90", "p99", "p99_9", "max", "ttfb_p50", "ttfb_p99"];
  const rows = [["phase", "op", "start", "duration_s", ...names]];
  for (const c of charts) {
    c.objects.forEach((_, i) => rows.push([c.phase || "", c.op, new Date((c.start + i * c.step_s) * 1000).toISOString(), c.step_s, ...names.map((n) => (c[n] && c[n][i] !== null ? c[n][i] : ""))]));
  }
  return rows.map((r) => r.map((v) => String(v).replace(/[\t\r\n]/g, " ")).join("\t") + "\n").join("");
}

function toolbar(d) {
  const report = d.report || d.comparison;
  const links = [...document.querySelectorAll("section[id]")].map((s) => element("a", { href: "#" + s.id }, s.firstChild.textContent.split(":")[0]));
  return element("nav", null, element("div", { class: "links" }, links), element("div", { class: "buttons" },
    element("button", { type: "button", onclick: () => download("report.json", "application/json", JSON.stringify(report, null, 2) + "\n") }, "JSON"),
    d.charts ? element("button", { type: "button", onclick: () => download("series.tsv", "text/tab-separated-values", columnsAsText(d.charts)) }, "TSV") : null,
    element("button", { type: "button", onclick: toggleTheme }, "Dark or light")));
}

function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") target.open = true;
  if (target) target.scrollIntoView();
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = document.getElementById("page");
  watchTheme();
  page.append(...(data.report ? runPage(data) : comparisonPage(data)).filter(Boolean));
  page.prepend(toolbar(data));
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => {
    drawAll();
    setPrinting(true);
  });
  addEventListener("afterprint", () => setPrinting(false));
}

start();
