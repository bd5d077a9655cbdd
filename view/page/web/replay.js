// Replays of traces: the original next to the replay.
import { element, section, table } from "./dom.js";
import { count, digits, duration, signedChange, size } from "./format.js";

// replaySection returns what a replay did, next to the same operations of the trace.
export function replaySection(r) {
  const latency = (k, of, p) => k[of].latency_ms && k[of].latency_ms[p];
  const both = (p) => [
    { title: p + ", trace", cell: (k) => (latency(k, "original", p) === undefined ? null : duration(latency(k, "original", p))) },
    { title: p + ", replay", cell: (k) => (latency(k, "replay", p) === undefined ? null : duration(latency(k, "replay", p))) },
    { title: p + ", change", cell: (k) => (latency(k, "original", p) > 0 && latency(k, "replay", p) !== undefined ? signedChange(latency(k, "replay", p) / latency(k, "original", p) - 1) : null) },
  ];
  const failed = (k, of) => (k[of].failed ? element("span", { class: "bad" }, count(k[of].failed)) : "0");
  return section("replay" + (r.stream ? "-" + r.stream : ""), "Replay" + (r.stream ? " " + r.stream : "") + ": the trace then and now", table([
    { title: "operation", text: true, cell: (k) => k.op }, { title: "in the trace", cell: (k) => count(k.operations) },
    { title: "sent", cell: (k) => count(k.sent) }, { title: "not sent", cell: (k) => (k.unsent ? element("span", { class: "bad" }, count(k.unsent)) : "0") },
    { title: "failed, trace", cell: (k) => failed(k, "original") }, { title: "failed, replay", cell: (k) => failed(k, "replay") },
    { title: "op/s, trace", cell: (k) => (k.original.ops_per_sec ? digits(k.original.ops_per_sec) : null) }, { title: "op/s, replay", cell: (k) => (k.replay.ops_per_sec ? digits(k.replay.ops_per_sec) : null) },
    { title: "moved, trace", cell: (k) => (k.original.bytes ? size(k.original.bytes) : null) }, { title: "moved, replay", cell: (k) => (k.replay.bytes ? size(k.replay.bytes) : null) },
    ...(r.closed_loop ? [] : [{ title: "late", cell: (k) => count(k.late) }, { title: "late by, p50", cell: (k) => k.lateness_ms && duration(k.lateness_ms.p50) }, { title: "late by, p99", cell: (k) => k.lateness_ms && duration(k.lateness_ms.p99) }, { title: "late by, max", cell: (k) => k.lateness_ms && duration(k.lateness_ms.max) }]),
  ], r.kinds), r.kinds.some((k) => k.original.latency_ms || k.replay.latency_ms) ? [element("h4", null, "Latency"), table([{ title: "operation", text: true, cell: (k) => k.op }, ...both("p50"), ...both("p90"), ...both("p99")], r.kinds)] : null,
  element("p", { class: "note" }, (r.closed_loop ? `Closed loop: gaps as in the trace. Clients: ${count(r.closed_loop.clients)}; duration then ${duration(r.closed_loop.original_s * 1000)}, now ${duration(r.closed_loop.replay_s * 1000)}. ` : "") + `At ${digits(r.speed)} times the original speed. Bytes and latency cover operations that were sent and succeeded.`),
    ...r.kinds.filter((k) => k.failed_unwritten).map((k) => element("p", { class: "note" }, `${k.op}: ${count(k.failed_unwritten)} of the failures are 404s of objects whose PUT was not sent.`)));
}
