// Words for people: notes that pass, errors that stay, and what screen readers are told.

import { fill, h, say } from "./dom.js";
import { iconButton } from "./controls.js";

const NOTE_MS = 6000;

const place = () => document.getElementById("toasts");

function toast(kind, role, title, hint) {
  const words = h(
    "div",
    { class: "toast-words" },
    h("p", {}, title),
    hint && h("p", { class: "hint" }, hint),
  );
  const el = h("div", { class: `toast ${kind}`, role, "data-testid": "toast" }, words);
  el.append(iconButton("Dismiss", "close", { onclick: () => el.remove() }));
  place().append(el);
  return el;
}

/** A note that goes by itself. */
export function note(title, hint) {
  const el = toast("note", "status", title, hint);
  setTimeout(() => el.remove(), NOTE_MS);
  return el;
}

/** An error that stays until it has been dismissed. The same one is shown once. */
export function failure(title, hint) {
  for (const old of place().querySelectorAll(".error")) {
    if (old.querySelector("p").textContent === title) old.remove();
  }
  return toast("error", "alert", title, hint);
}

/** Does something and says what went wrong. Gives undefined then. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    // The banner says it when nobody answers, or when the token is old.
    if (error instanceof TypeError || error.status === 403) console.warn(error);
    else failure(error.message, error.hint);
    return undefined;
  }
}

/** Tells screen readers. */
export function announce(text) {
  say(document.getElementById("live"), text);
}

/** The banner across the top, while the server cannot be used. */
export function banner(text) {
  const el = document.getElementById("gone");
  el.hidden = text == null;
  if (text == null || el.firstChild?.textContent === text) return;
  const reload = h(
    "button",
    { type: "button", class: "button", onclick: () => location.reload() },
    "Reload",
  );
  fill(el, h("p", {}, text), reload);
}
