// Kinds of operations: what they are called, and the percentile that all of them have.
import { count } from "./format.js";

// operationName returns what an operation of the report, or its chart, is called.
export const operationName = (o) => (o.phase ? o.phase + " " : "") + o.op;

// isPreparation reports whether an operation only prepared the data set.
export const isPreparation = (o) => o.phase === "prepare";

// preparationLast returns kinds in their order, the measured ones first.
export const preparationLast = (list) => [...list].sort((a, b) => Number(isPreparation(a)) - Number(isPreparation(b)));

// A percentile exists with ten slower operations.
const operationsFor = [["p99", 1000], ["p90", 100], ["p50", 20]];

// drawable reports whether there is anything to draw.
export const drawable = (values) => (values || []).some((v) => v !== null);

// commonPercentile returns the highest percentile that all kinds have, but for a column in ten, and a note about what is not drawn.
export function commonPercentile(charts) {
  const timed = charts.filter((c) => drawable(c.p50));
  const lacks = (c, p) => {
    const busy = c.ops.map((n, i) => (n > 0 ? c[p][i] : undefined)).filter((v) => v !== undefined);
    return busy.filter((v) => v === null).length > Math.max(1, busy.length / 10);
  };
  const [key] = operationsFor.find(([p]) => !timed.some((c) => lacks(c, p))) || ["p50"];
  const names = (list) => [...new Set(list.map(operationName))].join(", ");
  const notes = [];
  if (key !== "p99") {
    const lacking = timed.filter((c) => lacks(c, "p99"));
    notes.push(`p99 needs at least ${count(operationsFor[0][1])} operations in a column, which ${names(lacking)} ${lacking.length === 1 ? "does" : "do"} not have.`);
  }
  const without = charts.filter((c) => !drawable(c[key]));
  if (without.length > 0) notes.push(`Not drawn, with too few operations: ${names(without)}.`);
  if (timed.some((c) => lacks(c, key))) notes.push(`Gaps: columns with fewer than ${operationsFor.find(([p]) => p === key)[1]} operations.`);
  return { key, note: notes.join(" ") || null };
}
