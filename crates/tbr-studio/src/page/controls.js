// The few kinds of controls that the page is made of.

import { h } from "./dom.js";
import { icon } from "./icons.js";

/** A button with words on it. `kind` is "", "primary" or "quiet". */
export function button(label, { kind = "", picture, testid, ...props } = {}) {
  const all = { type: "button", class: `button ${kind}`, "data-testid": testid, ...props };
  return h("button", all, picture && icon(picture), h("span", { class: "words" }, label));
}

/** A button with only an icon; `name` is read out and shown when the pointer rests on it. */
export function iconButton(name, picture, { testid, ...props } = {}) {
  const all = { type: "button", class: "icon-button", "aria-label": name, title: name };
  return h(
    "button",
    { ...all, "data-testid": testid, "data-icon": picture, ...props },
    icon(picture),
  );
}

/** A control under its label. */
export function field(label, control) {
  return h("label", { class: "field" }, h("span", { class: "field-label" }, label), control);
}

/** A box to tick, with its words behind it. */
export function tick(label, input) {
  return h("label", { class: "tick" }, input, h("span", {}, label));
}

export function checkbox(props = {}) {
  return h("input", { type: "checkbox", ...props });
}

export function number(value, min, max, props = {}) {
  return h("input", { type: "number", value: String(value), min, max, step: 1, ...props });
}

/** What a number field holds, within its bounds and whole where it counts. */
export function numberIn(input, fallback) {
  const held = input.valueAsNumber;
  if (!Number.isFinite(held)) return fallback;
  const value = input.step === "1" ? Math.round(held) : held;
  const low = input.min === "" ? -Infinity : Number(input.min);
  const high = input.max === "" ? Infinity : Number(input.max);
  return Math.min(high, Math.max(low, value));
}

export function choice(options, props = {}) {
  const option = ({ value, label, ...rest }) => h("option", { value, ...rest }, label);
  return h("select", props, options.map(option));
}

/** A bar that fills; `part` null means that nobody knows how far it is. */
export function progressBar(label) {
  const inner = h("div", { class: "bar-inner" });
  const bar = h(
    "div",
    {
      class: "bar",
      role: "progressbar",
      "aria-label": label,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    },
    inner,
  );
  const set = (part) => {
    bar.classList.toggle("unknown", part == null);
    if (part == null) {
      bar.removeAttribute("aria-valuenow");
      inner.style.width = "";
      return;
    }
    const percent = Math.round(Math.min(1, Math.max(0, part)) * 100);
    bar.setAttribute("aria-valuenow", percent);
    inner.style.width = `${percent}%`;
  };
  return { bar, set };
}

/** A small field of one colour. */
export function swatch(hex) {
  const el = h("span", { class: "swatch" });
  el.style.background = hex;
  return el;
}
