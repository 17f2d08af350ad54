// Tools that lay paint at the playhead: drops, and strokes from one point to another.

import { insert, mayChange } from "./actions.js";
import { program, ui } from "./store.js";

const SLOP_PX = 4; // less than this is a click, in CSS pixels

const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];

class PaintTool {
  constructor({ view, overlay }) {
    Object.assign(this, { view, overlay, cursor: "crosshair" });
  }

  /** The brush, before it is pressed. */
  hover(p) {
    if (!program() || ui.playing) return;
    const at = this.view.camera.toCanvas(p);
    this.overlay.sketchCapsule(at, at, ui.halfWidth);
  }

  leave() {
    this.overlay.sketch(null);
  }

  begin(start) {
    if (!mayChange()) return null;
    const { view, overlay } = this;
    const anchor = view.camera.toCanvas(start);
    const isFar = (p) => Math.hypot(...minus(p, start)) > SLOP_PX * view.density;
    const deposit = (p) => this.deposit(anchor, view.camera.toCanvas(p), isFar(p));
    const sketch = (p) => {
      const { offset, halfWidth } = deposit(p);
      overlay.sketchCapsule(anchor, [anchor[0] + offset[0], anchor[1] + offset[1]], halfWidth);
    };
    sketch(start);
    return {
      cursor: "crosshair",
      move: sketch,
      async end(p) {
        const { offset, halfWidth } = deposit(p);
        await insert(anchor, offset, halfWidth);
        overlay.sketch(null);
      },
      cancel: () => overlay.sketch(null),
    };
  }
}

export class DropTool extends PaintTool {
  /** Dragged outward it grows; a click has the brush's half-width. */
  deposit(anchor, to, isFar) {
    const halfWidth = isFar ? Math.hypot(...minus(to, anchor)) : ui.halfWidth;
    return { offset: [0, 0], halfWidth };
  }
}

export class StrokeTool extends PaintTool {
  deposit(anchor, to, isFar) {
    return { offset: isFar ? minus(to, anchor) : [0, 0], halfWidth: ui.halfWidth };
  }
}
