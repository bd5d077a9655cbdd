// What a served page has in addition to the report: where the run stands, a button that stops it, and the stream that keeps it up to date.
import { element } from "./dom.js";
import { card, resentText } from "./operation.js";
import { duration, span, perSecond, count, plural, percentage, rateText, clockTime } from "./format.js";

// progress returns how much of a stage is done, from 0 to 1 or null, and what remains as text. A stage that ends by time or by number ends with
// the first.
export function progress(l) {
  if (l.elapsed_s < 0) return { share: 0, text: "starts in " + span(-l.elapsed_s * 1000) };
  const warmup = l.warmup_s || 0, measured = l.elapsed_s - warmup;
  const byTime = l.duration_s ? l.elapsed_s / (warmup + l.duration_s) : null;
  const byNumber = l.total ? l.done / l.total : null;
  if (byTime === null && byNumber === null) return { share: null, text: "" };
  const share = Math.min(1, Math.max(byTime ?? 0, byNumber ?? 0));
  if (measured < 0) return { share, text: "warm-up, " + span(-measured * 1000) + " left of it" };
  if (share >= 1) return { share, text: "finishing" };
  const left = [l.duration_s ? l.duration_s - measured : Infinity, byNumber > 0 && measured > 0 ? (measured * (l.total - l.done)) / l.done : Infinity];
  const least = Math.min(...left);
  return { share, text: Number.isFinite(least) ? span(Math.max(1, Math.ceil(least)) * 1000) + " left" : "" };
}

// amount returns how much is done. Where that is no part of a goal, the table below has it, from the same moment as the rest of the page.
const amount = (l) => (l.rates && !l.total ? null : l.noun === "byte" ? percentage(l.done, l.total) : l.total ? count(l.done) + " of " + plural(l.total, l.noun || "object") : l.done ? plural(l.done, l.noun || "operation") : null);

const titles = {
  starting: () => "Now: starting", reading: (l) => "Now: " + (l.stage || "reading the recording"), running: (l) => "Now: " + (l.stage || "waiting"),
  stopping: () => "Now: stopping", reported: (l) => "Now: " + (l.stage || "ending"), over: () => "Now: the run is over",
};

const hints = {
  starting: "Figures follow with the first operations.",
  stopping: "Operations in flight may finish; the report and the clean-up follow.",
  reported: "This is the final report. The run is not over yet: what it made may have to be removed.",
  over: "This is the final report. It is gone when warp ends: save it with the button HTML.",
};

function bars(l) {
  const p = progress(l);
  if (l.state !== "running" && l.state !== "reading") return null;
  const line = [amount(l), l.elapsed_s > 0 ? span(Math.floor(l.elapsed_s) * 1000) : null, l.threads ? plural(l.threads, "thread") : null, p.text].filter(Boolean).join(" · ");
  if (p.share === null) return element("p", { class: "brief" }, line);
  const track = element("div", { class: "track", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": String(Math.round(100 * p.share)), "aria-label": "progress of this stage" }, element("span", null));
  track.firstChild.style.width = (100 * p.share).toFixed(2) + "%";
  return [track, element("p", { class: "brief" }, line)];
}

function phases(l) {
  if (!l.phases || l.phases.length < 2) return null;
  const from = Math.max(0, Math.min(l.phase - 3, l.phases.length - 8));
  const few = l.phases.slice(from, from + 8);
  return element("ol", { class: "steps", start: from + 1 }, from > 0 ? element("li", { class: "more" }, from + " before") : null, few.map((name, i) => {
    const state = l.state === "over" || from + i < l.phase ? "done" : from + i === l.phase ? "present" : "next";
    return element("li", { class: state, "aria-current": state === "present" ? "step" : null }, name);
  }), l.phases.length > from + 8 ? element("li", { class: "more" }, l.phases.length - from - 8 + " more") : null);
}

function rates(l) {
  if (!l.rates || l.state === "over" || l.state === "reported") return null;
  return element("div", { class: "cards" }, l.rates.slice(0, 9).flatMap((r, i) => {
    const times = [r.p50 ? "p50 " + duration(r.p50) : null, r.p99 ? "p99 " + duration(r.p99) : null].filter(Boolean).join(" · ");
    return [
      card(r.name || (l.rates.length > 1 ? "all kinds" : "now"), rateText(r), times || (r.bytes_per_sec > 0 ? perSecond(r.objects_per_sec || r.ops_per_sec, "op") : null)),
      i === 0 ? card("errors", element("span", { class: r.errors ? "bad" : "" }, count(r.errors)), [r.errors ? percentage(r.errors, r.ops) : null, r.resent ? resentText(r) : null].filter(Boolean).join(", ")) : null,
    ];
  }));
}

function messages(l) {
  if (!l.messages) return null;
  const lines = l.messages.map((m) => element("li", null, element("time", null, clockTime(m.at, 1)), " ", m.text));
  const newest = lines.slice(-3), older = lines.slice(0, -3);
  return [older.length ? element("details", { id: "messages" }, element("summary", null, "Earlier messages"), element("ul", { class: "messages" }, older)) : null, element("ul", { class: "messages", "aria-live": "polite" }, newest)];
}

// livePanel returns where a run stands.
export function livePanel(l, incomplete) {
  return element("section", { id: "now", class: "now " + l.state }, element("h2", null, titles[l.state](l)),
    l.stop && (l.state === "running" || l.state === "starting") ? element("button", { type: "button", id: "stop", class: "stop", onclick: askStop, title: "operations in flight may finish, then the report and the clean-up follow" }, sure ? "Stop? Click again" : "Stop and report") : null,
    element("p", { class: "lost", id: "lost", hidden: !lost }, lost),
    l.state === "over" && incomplete ? element("p", { class: "brief" }, incomplete.join("; ")) : hints[l.state] ? element("p", { class: "brief" }, hints[l.state]) : null, bars(l), phases(l),
    l.limit && l.state === "running" ? element("p", { class: "warn" }, "! client-limited: " + l.limit) : null, rates(l), messages(l));
}

let lost = null; // since when the server does not answer, as text

let sure = false; // the button was clicked a moment ago

// askStop stops the run at the second click within five seconds.
async function askStop(e) {
  const button = e.currentTarget;
  if (!sure) {
    sure = true;
    button.textContent = "Stop? Click again";
    setTimeout(() => (sure = false), 5000);
    return;
  }
  // The header makes it a request that no page of another site can send.
  const answer = await fetch("stop", { method: "POST", headers: { "X-Warp-Request": "stop" } }).catch(() => null);
  sure = false;
  button.textContent = answer && answer.ok ? "Stopping" : "It did not work: try again";
}

// follow shows what the server sends. It may end when the run is over.
export function follow(live, show) {
  const events = new EventSource("events");
  let at = live.at, over = live.state === "over";
  const complain = (text) => {
    lost = text;
    const line = document.getElementById("lost");
    line.hidden = text === null;
    line.textContent = text || "";
  };
  events.addEventListener("data", (e) => {
    const data = JSON.parse(e.data);
    at = data.live.at;
    over = data.live.state === "over";
    lost = null;
    show(data);
  });
  events.onerror = () => over ? events.close() : complain("warp does not answer any more. These are its figures of " + clockTime(at, 1) + "; the page goes on when it answers again.");
  events.onopen = () => complain(null);
}
