// Brings elements up to date in place, so that what is open, zoomed, focused or scrolled stays as it is.
import { forget } from "./plot.js";

// keyOf returns what identifies a node among its neighbours; null: its position.
function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return null;
  if (node.id) return "#" + node.id;
  if (node.tagName === "FIGURE") return "figure " + node.querySelector(".title").textContent;
  if (node.tagName === "DETAILS") return "details " + node.firstChild.textContent;
  return null;
}

// patch makes fresh nodes the children of a box. Nodes that are there already are kept and take over what is new.
export function patch(box, fresh) {
  const keyed = new Map([...box.childNodes].filter(keyOf).map((n) => [keyOf(n), n]));
  let at = box.firstChild;
  for (const next of fresh) {
    const key = keyOf(next);
    const was = key ? keyed.get(key) : at && !keyOf(at) ? at : null;
    if (!was || was.nodeName !== next.nodeName) {
      box.insertBefore(next, at);
      continue;
    }
    if (was === at) at = at.nextSibling;
    else box.insertBefore(was, at);
    update(was, next);
  }
  while (at) {
    const after = at.nextSibling;
    remove(at);
    at = after;
  }
}

function remove(node) {
  if (node.nodeType === Node.ELEMENT_NODE) for (const f of [node, ...node.querySelectorAll("figure")]) forget(f);
  node.remove();
}

function update(was, next) {
  if (was.nodeType === Node.TEXT_NODE) {
    if (was.data !== next.data) was.data = next.data;
    return;
  }
  if (was.tagName === "FIGURE") {
    was.adopt(next);
    return;
  }
  attributes(was, next);
  if (was.tagName === "DETAILS" && next.fill) {
    was.fill = next.fill;
    if (was.open) next.fill(next.lastChild);
    else next.lastChild.replaceChildren();
  }
  patch(was, [...next.childNodes]);
}

// attributes copies them; whether details are open is up to the reader. Style is set as a property, which the policy allows.
function attributes(was, next) {
  for (const { name } of [...was.attributes]) if (name !== "open" && name !== "style" && !next.hasAttribute(name)) was.removeAttribute(name);
  for (const { name, value } of next.attributes) if (name !== "open" && name !== "style" && was.getAttribute(name) !== value) was.setAttribute(name, value);
  if (was.style.cssText !== next.style.cssText) was.style.cssText = next.style.cssText;
}
