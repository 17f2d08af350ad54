// Elements without markup: no text from outside can become a tag.

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden"]);
const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes, listeners (`onclick`) and children. */
export function h(tag, props = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) put(el, name, value);
  el.append(...children.flat().filter((child) => child != null && child !== false));
  return el;
}

function put(el, name, value) {
  if (value == null) return;
  if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
  else if (PROPERTIES.has(name)) el[name] = value;
  else attribute(el, name, value);
}

/** Sets an attribute, or takes it away for null and false. */
export function attribute(el, name, value) {
  const text = value === true ? "" : value;
  if (value == null || value === false) el.removeAttribute(name);
  else if (el.getAttribute(name) !== String(text)) el.setAttribute(name, text);
}

export function svg(tag, attributes = {}, ...children) {
  const el = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) attribute(el, name, value);
  el.append(...children);
  return el;
}

/** Changes a text only if it is another: screen readers would read it again. */
export function say(el, text) {
  if (el.textContent !== text) el.textContent = text;
}

export function show(el, yes) {
  if (el.hidden === yes) el.hidden = !yes;
}

/** Puts children in place of all there were. */
export function fill(el, ...children) {
  el.replaceChildren(...children.flat().filter((child) => child != null && child !== false));
}

/** Runs `build` only when `key` is another than the last time: open menus and pickers survive. */
export function whenOther(build) {
  let last;
  return (key, ...rest) => {
    const text = JSON.stringify(key);
    if (text === last) return;
    last = text;
    build(...rest);
  };
}

export const count = (n) => n.toLocaleString("en");

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

export function seconds(s) {
  if (s < 60) return `${s < 10 ? s.toFixed(1) : Math.round(s)} s`;
  const whole = Math.round(s);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

export function bytes(n) {
  if (n < 1e3) return `${n} bytes`;
  return n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`;
}
