// Elements of the page. Text gets into them only as text: names and errors of a store may hold anything.

const svgSpace = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : visible(String(child)));
  }
  return node;
}

// visible replaces characters that would change the order of text, or hide.
export const visible = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

// element returns an HTML element.
export const element = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

// shape returns an element of SVG.
export const shape = (tag, attributes, ...children) => fill(document.createElementNS(svgSpace, tag), attributes, children);

// table returns a table; columns have a title and a cell for each row, numbers to the right.
export function table(columns, rows, attributes) {
  const used = columns.filter((c) => c.always || rows.some((r) => c.cell(r) !== null && c.cell(r) !== undefined));
  return element("div", { class: "scroll" },
    element("table", attributes,
      element("thead", null, element("tr", null, used.map((c) => element("th", { class: c.text ? "" : "number", scope: "col" }, c.title)))),
      element("tbody", null, rows.map((r) => element("tr", null, used.map((c) => element("td", { class: c.text ? "" : "number" }, c.cell(r) ?? "")))))));
}

// section returns a part of the page with a heading; empty children make none.
export function section(id, title, ...children) {
  const content = children.flat(Infinity).filter(Boolean);
  return content.length === 0 ? null : element("section", { id }, element("h2", null, title), content);
}

// flatten returns the leaves of an object as pairs of a path and a value.
export function flatten(value, path = "") {
  if (value === null || typeof value !== "object") return [[path, value]];
  return Object.entries(value).flatMap(([key, v]) => flatten(v, path === "" ? key : path + "." + key));
}
