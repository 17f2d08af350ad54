// Words for people: notes that pass, errors that stay, and what screen readers are told.

import { fill, h } from "./dom.js";
import { iconButton } from "./controls.js";

const NOTE_MS = 6000;
const ANNOUNCE_MS = 50;

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

/** The same words are shown once. */
function removeSame(kind, title) {
  for (const old of place().querySelectorAll(`.${kind}`)) {
    if (old.querySelector("p").textContent === title) old.remove();
  }
}

/** A note that goes by itself. */
export function note(title, hint) {
  removeSame("note", title);
  const el = toast("note", "status", title, hint);
  setTimeout(() => el.remove(), NOTE_MS);
}

/** A note of something that takes a while: whoever shows it removes it. */
export const waiting = (title) => toast("note", "status", title);

/** An error that stays until it has been dismissed. */
export function failure(title, hint) {
  removeSame("error", title);
  toast("error", "alert", title, hint);
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

let announcing = null;

/** Tells screen readers. They hear the same words again only if others, or none, were between. */
export function announce(text) {
  const live = document.getElementById("live");
  live.textContent = "";
  clearTimeout(announcing);
  announcing = setTimeout(() => (live.textContent = text), ANNOUNCE_MS);
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
