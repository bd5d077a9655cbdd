// The heat map of latency over time: columns match the other charts, rows are buckets of histograms.
import { heatColour } from "./theme.js";
import { duration, plural } from "./format.js";

// densest returns the highest count of a cell.
export const densest = (heat) => Math.max(1, ...heat.cells.map((c) => Math.max(0, ...(c || []).slice(1))));

// cellAt returns the count of a column at a latency, and the bounds of its row; null outside.
export function cellAt(heat, column, ms) {
  const row = heat.bounds.findIndex((low, i) => ms >= low && ms < heat.bounds[i + 1]);
  const cells = heat.cells[column];
  if (row < 0) return null;
  return { low: heat.bounds[row], high: heat.bounds[row + 1], count: (cells && cells[1 + row - cells[0]]) || 0 };
}

// painter returns what paints a heat map below a chart whose columns begin at a time. Colours are logarithmic, so that a
// single operation is visible.
export function painter(heat, start, step) {
  const most = Math.log(1 + densest(heat));
  return (u, colours) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    heat.cells.forEach((cells, i) => {
      if (!cells) return;
      const left = Math.floor(u.valToPos(start + i * step, "x", true)), right = Math.ceil(u.valToPos(start + (i + 1) * step, "x", true));
      if (right < bbox.left || left > bbox.left + bbox.width) return;
      for (let k = 1; k < cells.length; k++) {
        if (cells[k] === 0) continue;
        const row = cells[0] + k - 1;
        const top = Math.floor(u.valToPos(heat.bounds[row + 1], "y", true)), bottom = Math.ceil(u.valToPos(Math.max(heat.bounds[row], 1e-6), "y", true));
        ctx.fillStyle = heatColour(Math.log(1 + cells[k]) / most, colours);
        ctx.fillRect(left, top, right - left, bottom - top);
      }
    });
    ctx.restore();
  };
}

// heatReadout returns text about the cell under the cursor.
export const heatReadout = (heat) => (u, i) => {
  const cell = cellAt(heat, i, u.posToVal(u.cursor.top, "y"));
  return cell ? plural(cell.count, "operation") + " of " + duration(cell.low) + " to " + duration(cell.high) : "";
};
