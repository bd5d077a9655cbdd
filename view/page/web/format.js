// Figures as text, in the same words as the text report.

// significant returns 1 <= v < 999.5 with three digits.
const significant = (v) => (v < 9.995 ? v.toFixed(2) : v < 99.95 ? v.toFixed(1) : v.toFixed(0));

// grouped separates the thousands of a number.
const grouped = (text) => text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, "\u202f"));

const trimZeros = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);

// duration formats milliseconds: "850ns", "12.3µs", "9.10ms", "1.25s", "1m15s".
export function duration(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms < 0) return "-" + duration(-ms);
  if (ms === 0) return "0s";
  if (Math.round(ms / 100) * 100 >= 60000) {
    const s = Math.round(ms / 1000);
    const parts = [Math.floor(s / 3600) + "h", (Math.floor(s / 60) % 60) + "m", (s % 60) + "s"];
    return parts.slice(s < 3600 ? 1 : 0).join("");
  }
  const ns = ms * 1e6;
  if (ns < 999.5) return Math.round(ns) + "ns";
  if (ns < 999.5e3) return significant(ns / 1e3) + "µs";
  if (ns < 999.5e6) return significant(ms) + "ms";
  return significant(ms / 1e3) + "s";
}

// span is duration without zeros at the end: "1s", "500ms".
export function span(ms) {
  const text = duration(ms);
  const number = text.replace(/[nµms]+$/, "");
  return /^[\d.]+$/.test(number) ? trimZeros(number) + text.slice(number.length) : text;
}

// size formats bytes in the binary unit that fits: "100B", "1.5MiB".
export function size(n) {
  if (n === null || n === undefined) return "–";
  const names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let i = 0;
  for (; i < names.length - 1 && Math.abs(n) >= 1024; i++) n /= 1024;
  return trimZeros(n.toFixed(2)) + names[i];
}

// decimal formats with two decimals, small figures with two significant digits.
function decimal(v) {
  if (v !== 0 && Math.abs(v) < 0.0995) return v.toFixed(Math.max(2, 1 - Math.floor(Math.log10(Math.abs(v)))));
  return grouped(v.toFixed(2));
}

// throughput formats bytes per second in MiB/s.
export const throughput = (v) => (v === null || v === undefined ? "–" : decimal(v / (1 << 20)) + " MiB/s");

// throughputTick is throughput with as many digits as it needs, for an axis.
export const throughputTick = (v) => digits(v / (1 << 20)) + " MiB/s";

// perSecond formats a number of things per second.
export const perSecond = (v, unit) => (v === null || v === undefined ? "–" : decimal(v) + " " + unit + "/s");

// rateText returns what moves in a second: bytes, or else objects or operations.
export const rateText = (t) => (t.bytes_per_sec > 0 ? throughput(t.bytes_per_sec) : t.objects_per_sec > 0 ? perSecond(t.objects_per_sec, "obj") : perSecond(t.ops_per_sec, "op"));

// percentage formats part of whole with one decimal.
export function percentage(part, whole) {
  if (!(whole > 0) || part === 0) return "0.0%";
  const p = (100 * part) / whole;
  if (p > 0 && p < 0.05) return "<0.1%";
  if (part < whole && p >= 99.95) return ">99.9%";
  return p.toFixed(1) + "%";
}

// signedChange formats a relative change in percent with its sign.
export function signedChange(v) {
  const p = 100 * v;
  const text = p.toFixed(Math.abs(p) >= 1000 ? 0 : 2);
  return (text.startsWith("-") && text !== "-0.00" ? "" : "+") + text.replace("-0.00", "0.00") + "%";
}

// digits formats with three significant digits, whole parts in full and in groups of three digits.
export function digits(v) {
  if (v === null || v === undefined) return "–";
  if (v === 0) return "0";
  return grouped(trimZeros(v.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.abs(v)))))));
}

// count formats a whole number in groups of three digits.
export const count = (n) => grouped(String(Math.round(n)));

// plural formats a number and a noun.
export const plural = (n, noun) => count(n) + " " + noun + (n === 1 ? "" : "s");

const two = (n) => String(n).padStart(2, "0");

// clockTime formats a time of day of the reader's zone, with as many decimals as columns of a length need.
export function clockTime(seconds, step) {
  const d = new Date(seconds * 1000);
  const text = two(d.getHours()) + ":" + two(d.getMinutes()) + ":" + two(d.getSeconds());
  return step < 1 ? text + "." + String(d.getMilliseconds()).padStart(3, "0") : text;
}

// dateTime formats a date and a time of day with the zone.
export function dateTime(seconds) {
  const d = new Date(seconds * 1000);
  const zone = -d.getTimezoneOffset();
  const name = zone === 0 ? "UTC" : "UTC" + (zone < 0 ? "-" : "+") + two(Math.floor(Math.abs(zone) / 60)) + ":" + two(Math.abs(zone) % 60);
  return d.getFullYear() + "-" + two(d.getMonth() + 1) + "-" + two(d.getDate()) + " " + clockTime(seconds, 1) + " " + name;
}

// percentileName formats a percent as a percentile: "min", "p50", "p99.9".
export const percentileName = (p) => p === 0 ? "min" : "p" + trimZeros(p.toFixed(p >= 99.995 ? 4 : p >= 99.95 ? 3 : p >= 99 ? 2 : 1));

// percentileOf returns a percentile of times of the report; undefined with too few of them.
export const percentileOf = (times, key) => (times ? times[key] : undefined);
