// The keyboard, and the dialog that tells of it.

import { deleteSelection, redo, selectAll, undo } from "./actions.js";
import { h } from "./dom.js";
import { button } from "./controls.js";
import { TOOLS, toggleCompare } from "./stage.js";
import { program, set, ui } from "./store.js";
import { ZOOM_STEP } from "./tools.js";

const BRUSH_STEP = 1.15;
const MAX_HALF_WIDTH = 0.5;

const SHORTCUTS = [
  ["Space", "play or pause"],
  [", and .", "one stroke back or forward"],
  ...TOOLS.map(({ key, label }) => [key, label]),
  ["[ and ]", "a thinner or thicker brush"],
  ["C", "compare with the target"],
  ["T", "the target, while held"],
  ["+ and -", "zoom; the wheel too"],
  ["0", "fit the canvas in the view"],
  ["Arrows", "move the view, when the canvas has the focus"],
  ["Shift + drag", "move the view; the middle button too"],
  ["Shift + click", "add to the selection, or take from it"],
  ["Escape", "give up what is being done, or the selection"],
  ["Delete", "delete the selection"],
  ["Ctrl A", "select all"],
  ["Ctrl Z", "undo"],
  ["Ctrl Shift Z, Ctrl Y", "redo"],
];

export class HelpDialog {
  constructor() {
    const rows = SHORTCUTS.map(([keys, what]) => [
      h("dt", {}, h("kbd", {}, keys)),
      h("dd", {}, what),
    ]);
    const close = button("Close", { kind: "primary", onclick: () => this.el.close() });
    this.el = h(
      "dialog",
      { class: "help", "aria-label": "Keyboard shortcuts" },
      h("h2", {}, "Keyboard shortcuts"),
      h("dl", {}, rows.flat()),
      close,
    );
    this.el.addEventListener("click", (event) => event.target === this.el && this.el.close());
  }

  open() {
    if (!this.el.open) this.el.showModal();
  }
}

/** Whether a key belongs to the control that has the focus. */
function isTaken(event) {
  const el = event.target;
  if (document.querySelector("dialog[open]")) return true;
  if (el.matches?.("input, textarea, select")) {
    const writes = !["range", "radio", "checkbox", "color", "file"].includes(el.type);
    return writes || (event.key === " " && el.type !== "range") || event.key.startsWith("Arrow");
  }
  return event.key === " " && Boolean(el.closest?.("button, a, summary"));
}

export class Keys {
  constructor({ view, tools, timeline, player, help }) {
    const brush = (factor) => () =>
      set({ halfWidth: Math.min(MAX_HALF_WIDTH, ui.halfWidth * factor) });
    const zoomIn = () => view.zoom(ZOOM_STEP);
    const zoomOut = () => view.zoom(1 / ZOOM_STEP);
    this.plain = {
      " ": () => player.toggle(),
      ",": () => timeline.step(-1),
      ".": () => timeline.step(1),
      "[": brush(1 / BRUSH_STEP),
      "]": brush(BRUSH_STEP),
      c: toggleCompare,
      t: () => set({ peek: true }),
      "+": zoomIn,
      "=": zoomIn,
      "-": zoomOut,
      0: () => view.fitNow(),
      "?": () => help.open(),
      escape: () => tools.escape(),
      delete: deleteSelection,
      backspace: deleteSelection,
    };
    for (const { name, key } of TOOLS) this.plain[key.toLowerCase()] = () => set({ tool: name });
    this.withControl = { z: undo, "shift+z": redo, y: redo, a: selectAll };
    document.addEventListener("keydown", (event) => this.down(event));
    document.addEventListener("keyup", (event) => event.key.toLowerCase() === "t" && this.unpeek());
    addEventListener("blur", () => this.unpeek());
  }

  down(event) {
    if (event.defaultPrevented || event.altKey || isTaken(event)) return;
    const key = event.key.toLowerCase();
    const control = event.ctrlKey || event.metaKey;
    const act = control ? this.withControl[event.shiftKey ? `shift+${key}` : key] : this.plain[key];
    if (!act || (!program() && control)) return;
    event.preventDefault();
    // A key that is held must not pile up changes that go on after it has been let go.
    if (event.repeat && (key === "t" || (control && ui.editing > 0))) return;
    act();
  }

  unpeek() {
    if (ui.peek) set({ peek: false });
  }
}
