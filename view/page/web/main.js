// The page: reads the data, puts its parts in place, and serves the buttons.
import { element } from "./dom.js";
import { drawAll } from "./plot.js";
import { watchTheme, toggleTheme, setPrinting } from "./theme.js";
import { runPage, runTitle } from "./run.js";
import { comparisonPage, comparisonTitle } from "./compare.js";
import { tracePage, traceTitle } from "./trace.js";
import { patch } from "./patch.js";
import { livePanel, follow } from "./live.js";

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

let menu = false; // whether the links are shown, where there is no room for them

function setMenu(open) {
  menu = open;
  document.querySelector(".menu").setAttribute("aria-expanded", String(open));
  document.querySelector(".links").classList.toggle("open", open);
}

const openMenu = () => setMenu(!menu);
const closeMenu = () => setMenu(false);

// toolbar returns links to the parts of the page, and buttons.
function toolbar(parts) {
  const sections = parts.filter((p) => p.tagName === "SECTION" && p.id);
  const links = sections.map((p) => element("a", { href: "#" + p.id }, p.firstChild.textContent.split(":")[0]));
  return element("nav", { id: "toolbar" }, element("div", { class: "parts-menu" },
    element("button", { type: "button", class: "menu", "aria-expanded": String(menu), onclick: openMenu }, "Contents"), element("div", { class: menu ? "links open" : "links", onclick: closeMenu }, links)), element("div", { class: "buttons" },
    current.live ? element("a", { class: "button", href: "report.html", download: "report.html" }, "HTML") : null,
    element("button", { type: "button", onclick: () => download("report.json", "application/json", JSON.stringify(current.report || current.trace || current.comparison, null, 2) + "\n") }, "JSON"),
    current.charts ? element("button", { type: "button", onclick: () => download("series.tsv", "text/tab-separated-values", columnsAsText(current.charts)) }, "TSV") : null,
    element("button", { type: "button", onclick: toggleTheme }, "Theme")));
}

function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") target.open = true;
  if (target) target.scrollIntoView();
}

let current = null; // the data that the page shows

// show puts data on the page, or brings the page up to date with it.
function show(data) {
  current = data;
  const parts = (data.report ? runPage(data) : data.trace ? tracePage(data.trace) : comparisonPage(data)).filter(Boolean);
  if (data.live) parts.unshift(livePanel(data.live, data.report.incomplete));
  document.title = data.report ? runTitle(data) : data.trace ? traceTitle(data.trace) : comparisonTitle(data);
  patch(document.getElementById("page"), [toolbar(parts), ...parts]);
}

function start() {
  watchTheme();
  show(JSON.parse(document.getElementById("data").textContent));
  if (current.live) follow(current.live, show);
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => {
    drawAll();
    setPrinting(true);
  });
  addEventListener("afterprint", () => setPrinting(false));
}

start();
