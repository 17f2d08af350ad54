// The pointer on the canvas: which tool has it, and moving the view with any of them.

import { HandTool, panning } from "./tool-hand.js";
import { DropTool, StrokeTool } from "./tool-paint.js";
import { LassoTool, SelectTool } from "./tool-select.js";
import { listen, select, set, ui } from "./store.js";

// A notch of a mouse's wheel is 100 or 120 units, and zooms by about a fifth.
const WHEEL_STEP = 0.0016;
const PINCH_STEP = 0.01; // trackpads send small steps with Ctrl set
const LINE_PX = 16;
const KEY_PAN_PX = 64;
export const ZOOM_STEP = 1.5;

export class Tools {
  constructor(view, overlay) {
    Object.assign(this, { view, overlay, gesture: null, pointers: new Map() });
    const context = { view, overlay };
    this.all = {
      select: new SelectTool(context),
      lasso: new LassoTool(context),
      hand: new HandTool(view),
      drop: new DropTool(context),
      stroke: new StrokeTool(context),
    };
    this.wire(view.canvas);
    listen(() => this.update());
  }

  get tool() {
    return this.all[ui.tool];
  }

  wire(canvas) {
    const on = (name, heard) => canvas.addEventListener(name, heard, { passive: false });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.lost(event));
    on("pointerleave", () => this.leave());
    on("wheel", (event) => this.wheel(event));
    on("dblclick", (event) => ui.tool === "hand" && this.view.zoom(2, this.at(event)));
    on("keydown", (event) => this.key(event));
    // The middle button would start scrolling, or paste.
    on("mousedown", (event) => event.button === 1 && event.preventDefault());
    on("auxclick", (event) => event.preventDefault());
    on("contextmenu", (event) => this.gesture && event.preventDefault());
  }

  /** Where an event is, in the view's pixels. */
  at(event) {
    const box = this.view.canvas.getBoundingClientRect();
    const { density } = this.view;
    return [(event.clientX - box.left) * density, (event.clientY - box.top) * density];
  }

  showCursor() {
    const cursor = this.gesture?.cursor ?? this.tool.cursor;
    const { style } = this.view.canvas;
    if (style.cursor !== cursor) style.cursor = cursor;
  }

  update() {
    this.showCursor();
    if (this.shown !== ui.tool || this.piece !== ui.piece) {
      this.cancel();
      this.all[this.shown]?.leave?.();
      Object.assign(this, { shown: ui.tool, piece: ui.piece });
    }
  }

  down(event) {
    const p = this.at(event);
    if (event.button > 1) return;
    this.view.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, p);
    if (this.pointers.size === 2) return this.pinch();
    this.leave();
    this.gesture = this.begin(event, p);
    this.update();
  }

  begin(event, p) {
    // With the select tool Shift adds to the selection, unless the pointer is dragged.
    const pans = event.button === 1 || (event.shiftKey && ui.tool !== "select");
    return pans ? panning(this.view, p) : this.tool.begin(p, event);
  }

  move(event) {
    const p = this.at(event);
    if (this.pointers.has(event.pointerId)) this.pointers.set(event.pointerId, p);
    if (this.pinched) this.pinchTo();
    else if (this.gesture) this.gesture.move?.(p, event);
    else this.tool.hover?.(p, event);
    this.showCursor();
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    const { gesture } = this;
    this.gesture = null;
    if (this.pinched) this.pinched = this.pointers.size > 0 ? this.pinched : null;
    else gesture?.end?.(this.at(event), event);
    this.update();
  }

  lost(event) {
    this.pointers.delete(event.pointerId);
    this.pinched = null;
    this.cancel();
  }

  leave() {
    this.tool.leave?.();
  }

  /** Ends what is being done without doing it; says whether there was something. */
  cancel() {
    const { gesture } = this;
    this.gesture = null;
    gesture?.cancel?.();
    return Boolean(gesture);
  }

  /** Escape: first what is being done, then the selection. */
  escape() {
    if (!this.cancel()) select([]);
    this.update();
  }

  pinch() {
    this.cancel();
    this.pinched = this.spread();
  }

  pinchTo() {
    if (this.pointers.size < 2) return;
    const now = this.spread();
    this.view.pan(now.x - this.pinched.x, now.y - this.pinched.y);
    this.view.zoomNow(now.width / this.pinched.width, [now.x, now.y]);
    this.pinched = now;
  }

  spread() {
    const [[ax, ay], [bx, by]] = [...this.pointers.values()];
    return { x: (ax + bx) / 2, y: (ay + by) / 2, width: Math.max(8, Math.hypot(ax - bx, ay - by)) };
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    const step = event.ctrlKey ? PINCH_STEP : WHEEL_STEP;
    const delta = Math.max(-400, Math.min(400, event.deltaY * lines));
    this.view.zoom(Math.exp(-delta * step), this.at(event));
    set({ hover: null });
  }

  key(event) {
    const step = KEY_PAN_PX * this.view.density;
    const moves = {
      ArrowLeft: [step, 0],
      ArrowRight: [-step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    this.view.pan(...move);
  }
}
