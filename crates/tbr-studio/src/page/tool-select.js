// Tools that find strokes: pointing at them, moving them, and drawing a line around them.

import { get, latest } from "./api.js";
import { dragNumber, edit, selectBy, takeBack } from "./actions.js";
import { atWork, current, program, select, set, ui } from "./store.js";
import { panning } from "./tool-hand.js";
import { announce, attempt } from "./toast.js";

const REST_MS = 30; // a pointer that flies by asks for nothing
const SLOP_PX = 4; // a click may tremble so much, in CSS pixels
const LASSO_STEP_PX = 3;

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

/** The stroke whose paint is at a point of the view, or null. */
async function strokeAt(view, p) {
  const [x, y] = view.camera.toCanvas(p);
  const height = current()?.height ?? 0;
  if (!program() || x < 0 || y < 0 || x > 1 || y > height) return null;
  const found = await get(`pieces/${ui.piece}/at`, { x, y, time: ui.time });
  return found.stroke == null ? null : found;
}

export class SelectTool {
  constructor({ view }) {
    this.view = view;
    this.cursor = "default";
    this.ask = latest((p) => this.look(p));
  }

  hover(p) {
    clearTimeout(this.timer);
    this.pointer = p;
    if (!ui.playing) this.timer = setTimeout(() => this.ask(p), REST_MS);
  }

  async look(p) {
    const hover = await strokeAt(this.view, p).catch(() => null);
    if (this.pointer !== p) return;
    if (hover?.stroke !== ui.hover?.stroke) set({ hover });
  }

  leave() {
    clearTimeout(this.timer);
    this.pointer = null;
    if (ui.hover) set({ hover: null });
  }

  begin(start, event) {
    return new SelectGesture(this.view, start, event.shiftKey);
  }
}

/**
 * A press with the select tool: a click selects; dragging a selected stroke moves the selection,
 * dragging anything else the view. Which it is, the server must say first.
 */
class SelectGesture {
  constructor(view, start, shift) {
    Object.assign(this, { view, start, shift, last: start, far: false, piece: ui.piece });
    this.under = strokeAt(view, start).catch(() => null);
    if (shift) this.drag = panning(view, start);
    this.decided = this.under.then((found) => this.decide(found?.stroke));
  }

  get cursor() {
    return this.far ? this.drag?.cursor : undefined;
  }

  /** Whether it is too late for it. */
  get isOver() {
    return this.cancelled || ui.piece !== this.piece;
  }

  /** A quick hand may have let go before: what it did then is done now. */
  decide(stroke) {
    if (this.drag || this.isOver) return;
    const moves = ui.selection.includes(stroke) && !atWork(current());
    this.drag = moves ? new StrokesDrag(this.view, this.start) : panning(this.view, this.start);
    if (this.far) this.drag.move(this.last);
  }

  move(p) {
    this.last = p;
    this.far ||= distance(p, this.start) > SLOP_PX * this.view.density;
    if (this.far) this.drag?.move(p);
  }

  async end() {
    await this.decided;
    if (this.isOver) return;
    if (this.far) return this.drag.end?.();
    const found = await this.under;
    if (this.shift) toggle(found?.stroke);
    else select(found ? [found.stroke] : []);
    if (found) announce(`Stroke ${found.stroke} selected`);
  }

  cancel() {
    this.cancelled = true;
    this.drag?.cancel?.();
  }
}

function toggle(stroke) {
  if (stroke == null) return;
  const { selection } = ui;
  select(
    selection.includes(stroke) ? selection.filter((one) => one !== stroke) : [...selection, stroke],
  );
}

/** Moves the selection after the hand: many edits, one step to undo. */
class StrokesDrag {
  constructor(view, start) {
    Object.assign(this, { view, start, sent: false, drag: dragNumber(), cursor: "move" });
    Object.assign(this, { strokes: ui.selection, piece: ui.piece });
    this.send = latest((by) => this.translate(by));
  }

  async translate(by) {
    if (this.cancelled) return;
    this.flying = edit({ op: "translate", strokes: this.strokes, by, drag: this.drag });
    this.sent ||= Boolean(await this.flying);
  }

  move(p) {
    const { scale } = this.view.camera;
    this.send([(p[0] - this.start[0]) / scale, (p[1] - this.start[1]) / scale]);
  }

  end() {
    announce("Moved");
  }

  /** All of it is one step; what is on its way joins it before it is taken back. */
  async cancel() {
    this.cancelled = true;
    const last = await this.flying;
    if (this.sent || last) await takeBack(this.piece);
  }
}

export class LassoTool {
  constructor({ view, overlay }) {
    Object.assign(this, { view, overlay, cursor: "crosshair" });
  }

  begin(start) {
    const { view, overlay } = this;
    const points = [start];
    const clear = () => overlay.sketch(null);
    return {
      cursor: "crosshair",
      move(p) {
        if (distance(p, points.at(-1)) < LASSO_STEP_PX * view.density) return;
        points.push(p);
        overlay.sketch(`M${points.map((point) => point.join(" ")).join("L")}Z`);
      },
      async end() {
        clear();
        if (points.length < 3) return select([]);
        const lasso = points.map((point) => view.camera.toCanvas(point));
        const time = ui.time == null ? {} : { time: ui.time };
        await attempt(() => selectBy({ lasso, ...time }));
      },
      cancel: clear,
    };
  }
}
