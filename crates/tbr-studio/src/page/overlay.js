// Outlines and previews over the canvas. They are lines in the view's pixels; while the view
// moves they are moved along, and asked for anew once it rests.

import { get, latest } from "./api.js";
import { clipped } from "./clip.js";
import { attribute, svg } from "./dom.js";
import { current, program, server, ui } from "./store.js";

const REST_MS = 80;
// The most that the server takes for a side; larger views get their lines scaled up.
const MAX_SIDE_PX = 2048;
// More outlines than this are drawn thin, or they would hide the paint.
const MANY = 20;
// Outlines are within 2e-6 of the canvas's width of the paint: beyond this scale they would lie.
const MAX_SCALE = 2e6;
// Beyond so many times the fitted size outlines are cut to the view, and a view that has been
// stretched by so much waits for new ones: dashes over millions of pixels take seconds.
const DEEP = 3;
// A brush with a larger radius than this, in pixels, cannot be seen as one.
const MAX_BRUSH_PX = 20000;

export class Overlay {
  constructor(view, el) {
    Object.assign(this, { view, el });
    this.selected = new Outlines(view, ["laid", "lies"]);
    this.hovered = new Outlines(view, ["hover"]);
    this.preview = svg("g", { class: "preview" });
    el.append(this.selected.group, this.hovered.group, this.preview);
    view.hooks.push(() => this.place());
  }

  update() {
    const limit = server()?.limits.outlines ?? 0;
    const shown = Boolean(program()) && !ui.playing;
    this.selected.want(shown ? ui.selection.slice(0, limit) : []);
    this.hovered.want(shown && ui.hover ? [ui.hover.stroke] : []);
  }

  place() {
    const { width, height } = this.view.camera;
    attribute(this.el, "viewBox", `0 0 ${width} ${height}`);
    attribute(this.el, "data-density", String(this.view.density));
    this.update();
    this.selected.place();
    this.hovered.place();
  }

  /** Shows a path in the view's pixels; nothing for null. */
  sketch(path) {
    this.preview.replaceChildren(...(path ? doubled(path) : []));
  }

  /** Shows a deposit before it is laid: a capsule from `from` to `to` in canvas units. */
  sketchCapsule(from, to, halfWidth) {
    const { camera } = this.view;
    const r = halfWidth * camera.scale;
    this.sketch(r > MAX_BRUSH_PX ? null : capsule(camera.toView(from), camera.toView(to), r));
  }
}

/** A capsule as path data; a circle where both ends are one. */
function capsule([ax, ay], [bx, by], r) {
  const length = Math.hypot(bx - ax, by - ay);
  const [ux, uy] = length > 0 ? [(bx - ax) / length, (by - ay) / length] : [1, 0];
  const [nx, ny] = [-uy * r, ux * r];
  const arc = (x, y) => `A${r} ${r} 0 0 1 ${x} ${y}`;
  return `M${ax + nx} ${ay + ny}${arc(ax - nx, ay - ny)}L${bx - nx} ${by - ny}${arc(bx + nx, by + ny)}Z`;
}

/** A light line under a dark one shows on any colour. */
function doubled(d) {
  return [svg("path", { d, class: "halo" }), svg("path", { d, class: "core" })];
}

/** The view with as much again on every side, in pixels of the outlines. */
function around(width, [, , regionWidth, regionHeight]) {
  const height = (width * regionHeight) / regionWidth;
  return [-width, -height, 2 * width, 2 * height];
}

/** The outlines of some strokes at the playhead. */
class Outlines {
  constructor(view, kinds) {
    this.view = view;
    this.kinds = kinds;
    this.group = svg("g", { class: `outlines ${kinds.at(-1)}` });
    this.strokes = [];
    this.ask = latest((...args) => this.fetch(...args));
  }

  want(strokes) {
    this.strokes = strokes;
    const piece = current();
    const { camera } = this.view;
    const what = `${piece?.id} ${piece?.program?.revision} ${ui.time} ${strokes}`;
    const where = `${camera.region()} ${camera.width}`;
    if (strokes.length === 0 || camera.scale > MAX_SCALE) this.clear();
    else if (what !== this.what) this.askNow(what, where);
    else if (where !== this.where) this.askAtRest(what, where);
  }

  clear() {
    this.what = null;
    this.where = null;
    clearTimeout(this.timer);
    if (this.group.firstChild) this.group.replaceChildren();
  }

  askNow(what, where) {
    clearTimeout(this.timer);
    Object.assign(this, { what, where });
    this.ask(what, this.strokes);
  }

  askAtRest(what, where) {
    this.where = where;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(what, this.strokes), REST_MS);
  }

  async fetch(what, strokes) {
    if (what !== this.what) return;
    const { camera } = this.view;
    const shrink = Math.min(1, MAX_SIDE_PX / Math.max(camera.width, camera.height));
    const width = Math.floor(camera.width * shrink);
    const view = { offset: camera.offset(), scale: camera.scale, unit: camera.width / width };
    const region = camera.region();
    const isDeep = camera.scale > DEEP * camera.fitScale;
    const params = { strokes: strokes.join(","), time: ui.time, region: region.join(","), width };
    try {
      const { outlines } = await get(`pieces/${ui.piece}/outlines`, params);
      if (what === this.what) this.show(outlines, view, isDeep ? around(width, region) : null);
    } catch {
      // Another revision is coming, and asks again; or the banner says that the server has gone.
    }
  }

  show(outlines, view, box) {
    this.asked = view;
    const cut = (path) => (box ? clipped(path, box) : path);
    const joined = (name) => outlines.map((outline) => cut(outline[name] ?? "")).join("");
    const [laid, lies] = [joined("laid"), joined("lies")];
    const both = this.kinds.includes("laid");
    const dashed = both
      ? [svg("path", { d: laid, class: "laid-halo" }), svg("path", { d: laid, class: "laid" })]
      : [];
    this.group.replaceChildren(...dashed, ...doubled(lies));
    this.group.classList.toggle("many", outlines.length > MANY);
    this.place();
  }

  /** Moves what was asked for in another view to where it is in this one. */
  place() {
    if (!this.asked || !this.group.firstChild) return;
    const { camera } = this.view;
    const { offset, scale, unit } = this.asked;
    const ratio = camera.scale / scale;
    const now = camera.offset();
    const isStretched = ratio > DEEP || ratio < 1 / DEEP;
    attribute(this.group, "visibility", isStretched ? "hidden" : null);
    const [x, y] = [offset.x * ratio - now.x, offset.y * ratio - now.y];
    attribute(this.group, "transform", `matrix(${ratio * unit} 0 0 ${ratio * unit} ${x} ${y})`);
  }
}
