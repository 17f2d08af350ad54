// The canvas: where it looks, what it asks for, what it draws.

import { latest, picture } from "./api.js";
import { Camera } from "./camera.js";
import { Loader } from "./loader.js";
import { frameOf, sourceOf } from "./source.js";
import { atWork, current, shownLayer, ui, whyNot } from "./store.js";
import { Stack, tilesInView } from "./tiles.js";

// Frames of the whole view while something moves: small enough to come several times a second.
const LIVE_PX = 640;
const SHARP_SAMPLES = 3;
// Tiles are worth asking for once the picture has been the same for so long, and smooth ones once
// nothing moves. A running fit brings another picture soon, and needs the processor itself.
const CALM = { tiles: 50, smooth: 150 };
const WHILE_FITTING = { tiles: 900, smooth: 1800 };
// Changes that follow each other faster than this are a hand's: tiles would all come too late.
const HAND_MS = 400;
const WHILE_DRAGGING = { tiles: 200, smooth: 250 };
const TRY_AGAIN_MS = 600;
const ZOOM_MS = 45; // in which a zoom comes about 63 % of its way
const INSETS = { left: 64, top: 64, right: 28, bottom: 60 }; // CSS pixels, for the floating bars
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

export class View {
  constructor(stage, paper, canvas) {
    Object.assign(this, { stage, paper, canvas });
    this.context = canvas.getContext("2d");
    this.camera = new Camera();
    this.loader = new Loader();
    this.tracks = new Map(); // by layer: what has come of it
    this.orders = 0;
    this.hooks = []; // called after every drawing
    this.split = 0.5; // where the comparison divides the view
    this.isFitted = true;
    this.changedAt = { scale: 0, place: 0 };
    this.seen = {};
    this.watchSize();
  }

  get density() {
    return this.canvas.width / Math.max(1, this.canvas.clientWidth);
  }

  /** Draws soon, once, however often it is called. */
  invalidate() {
    this.canvas.dataset.sharp = "false";
    this.waiting ??= requestAnimationFrame((now) => {
      this.waiting = null;
      this.draw(now);
    });
  }

  watchSize() {
    const observer = new ResizeObserver((entries) => this.resize(entries.at(-1)));
    try {
      observer.observe(this.canvas, { box: "device-pixel-content-box" });
    } catch {
      observer.observe(this.canvas); // a browser that does not tell device pixels
    }
  }

  resize({ contentRect, devicePixelContentBoxSize: told }) {
    // A browser that plays another screen's density tells its own screen's pixels.
    const exact = (px, length) => (Math.abs(px - length) < 1.5 ? px : Math.round(length));
    const width = exact(told?.[0].inlineSize, contentRect.width * devicePixelRatio);
    const height = exact(told?.[0].blockSize, contentRect.height * devicePixelRatio);
    Object.assign(this.canvas, { width, height });
    Object.assign(this.camera, { width, height });
    if (current()) this.refit();
    this.draw(performance.now());
  }

  /** Follows the store: another piece begins afresh. */
  update() {
    const piece = current();
    if (piece?.id !== this.piece) {
      for (const { stack } of this.tracks.values()) stack.discard(() => true);
      this.tracks.clear();
      Object.assign(this, { piece: piece?.id, isFitted: true, last: null, looked: null });
    }
    if (piece && piece.height !== this.canvasHeight) {
      this.canvasHeight = piece.height;
      this.isFitted = true;
    }
    if (piece) this.refit();
    this.invalidate();
  }

  // Where it looks

  fitNow() {
    this.isFitted = true;
    this.goal = null;
    this.refit();
    this.invalidate();
  }

  refit() {
    const inset = (side) => INSETS[side] * this.density;
    const insets = {
      left: inset("left"),
      top: inset("top"),
      right: inset("right"),
      bottom: inset("bottom"),
    };
    const fitted = this.camera.fitted(this.canvasHeight ?? 1, insets);
    this.camera.fitScale = fitted.scale;
    if (this.isFitted) Object.assign(this.camera, fitted);
  }

  pan(dx, dy) {
    this.isFitted = false;
    this.camera.pan(dx, dy);
    this.invalidate();
  }

  /** Zooms by a factor about a point of the view, smoothly. */
  zoom(factor, at = [this.camera.width / 2, this.camera.height / 2]) {
    this.isFitted = false;
    const scale = this.camera.limited((this.goal?.scale ?? this.camera.scale) * factor);
    this.goal = { scale, at };
    if (STILL.matches) this.arrive();
    this.invalidate();
  }

  /** The same at once: for fingers. */
  zoomNow(factor, at) {
    this.zoom(factor, at);
    this.arrive();
  }

  arrive() {
    this.camera.zoomAt(this.goal.at, this.goal.scale);
    this.goal = null;
  }

  advanceZoom(now) {
    const passed = Math.min(50, now - (this.drawnAt ?? now));
    this.drawnAt = now;
    if (!this.goal) return;
    const { scale } = this.camera;
    const next = scale * (this.goal.scale / scale) ** (1 - Math.exp(-passed / ZOOM_MS));
    if (Math.abs(Math.log(this.goal.scale / next)) < 0.003) this.arrive();
    else this.camera.zoomAt(this.goal.at, next);
    this.invalidate();
  }

  // What it asks for

  layers() {
    const piece = current();
    if (!whyNot(piece, "target")) {
      if (ui.peek) return ["target"];
      if (ui.compare && shownLayer() !== "target") return [shownLayer(), "target"];
    }
    return [shownLayer()];
  }

  /** What has come of a layer; its order grows when the layer is of another picture. */
  track(layer, source, now) {
    let track = this.tracks.get(layer);
    if (!track) {
      track = { stack: new Stack(), askFrame: latest((...args) => this.fetchFrame(...args)) };
      this.tracks.set(layer, track);
    }
    if (source && track.key !== source.key) {
      const isQuick = now - (track.changedAt ?? -Infinity) < HAND_MS;
      Object.assign(track, { key: source.key, order: ++this.orders, changedAt: now, isQuick });
    }
    return track;
  }

  noteMoves(now) {
    const { x, y } = this.camera.offset();
    const { scale } = this.camera;
    if (this.seen.scale !== scale) this.changedAt.scale = now;
    if (this.seen.x !== x || this.seen.y !== y) this.changedAt.place = now;
    this.seen = { scale, x, y };
  }

  plan(now) {
    this.noteMoves(now);
    this.wakeIn = Infinity;
    const layers = ui.offline ? [] : this.layers();
    const wishes = layers.flatMap((layer) => this.wishes(layer, now));
    clearTimeout(this.timer);
    if (this.wakeIn < Infinity) this.timer = setTimeout(() => this.invalidate(), this.wakeIn);
    // Rough tiles of every layer come before smooth ones of any.
    this.loader.want(wishes.sort((a, b) => a.params.samples - b.params.samples));
  }

  /** The tiles that a layer lacks. */
  wishes(layer, now) {
    if (ui.playing && layer !== "target") return [];
    const piece = current();
    const source = sourceOf(piece, layer);
    const track = this.track(layer, source, now);
    const tiles = tilesInView(this.camera, piece.height);
    const sheet = track.stack.sheet(source.key, track.order, this.camera.scale);
    track.stack.discard((other) => other !== sheet && other.tiles.size === 0);
    const complete = tiles.every((tile) => sheet.has(tile, 1));
    const sharp = complete && tiles.every((tile) => sheet.has(tile, SHARP_SAMPLES));
    Object.assign(track, { sheet, complete, sharp });
    if (complete) track.stack.tidy(sheet, tiles);
    if (sharp) return [];
    return this.lacking(source, track, tiles, now);
  }

  lacking(source, track, tiles, now) {
    const { sheet, complete } = track;
    const { scale, place } = this.changedAt;
    const steady = now - Math.max(track.changedAt, scale);
    const still = Math.min(steady, now - place);
    const patience = this.patience(source, track);
    const unsettled = steady < patience.tiles;
    if (!complete && (unsettled || !track.stack.hasAny(track.order))) this.wantFrame(source, track);
    const until = unsettled ? patience.tiles - steady : patience.smooth - still;
    this.wakeIn = Math.min(this.wakeIn, until > 0 ? Math.max(16, until) : TRY_AGAIN_MS);
    // What an edit is about to change is not worth rendering.
    if (unsettled || ui.editing > 0) return [];
    const wish = (samples) => (tile) => this.wish(source, sheet, tile, samples);
    const rough = tiles.filter((tile) => !sheet.has(tile, 1)).map(wish(1));
    if (still < patience.smooth || ui.scrubbing) return rough;
    return [
      ...rough,
      ...tiles.filter((tile) => !sheet.has(tile, SHARP_SAMPLES)).map(wish(SHARP_SAMPLES)),
    ];
  }

  patience({ layer }, { isQuick }) {
    if (layer !== "target" && atWork(current())) return WHILE_FITTING;
    return isQuick ? WHILE_DRAGGING : CALM;
  }

  wish(source, sheet, tile, samples) {
    const region = [tile.px, tile.py, ...tile.size].map((px) => px / sheet.scale);
    const [width, height] = tile.size;
    const params = { ...source.exact, region: region.join(","), width, height, samples };
    const arrived = (bitmap) => {
      if (sheet.has(tile, samples)) bitmap.close();
      else sheet.put(tile, bitmap, samples);
      this.invalidate();
    };
    return {
      key: `${source.key} ${sheet.scale} ${tile.at} ${samples}`,
      piece: source.piece,
      params,
      arrived,
    };
  }

  /** A picture of the whole view, if what is there does not show it as well. */
  wantFrame(source, track) {
    const region = this.camera.visible(current().height);
    if (!region) return;
    const frame = frameOf(region, this.camera.scale, LIVE_PX);
    const scale = frame.width / frame.region[2];
    if (track.stack.covers(track.order, region, 0.7 * scale)) return;
    const asked = `${source.key} ${frame.region}`;
    if (track.asked === asked) return;
    track.asked = asked;
    track.askFrame(source, track, track.order, frame);
  }

  async fetchFrame(source, track, order, { region, width, height }) {
    try {
      const params = { ...source.params, region: region.join(","), width, height };
      const bitmap = await picture(source.piece, params);
      if (this.tracks.get(source.layer) === track)
        track.stack.addFrame(order, { region, width, bitmap });
      else bitmap.close();
    } catch {
      setTimeout(() => (track.asked = null), TRY_AGAIN_MS);
    }
    this.invalidate();
  }

  /** A frame from the player. */
  present(layer, frame) {
    const track = this.track(layer);
    track.key = null;
    track.order = ++this.orders;
    track.stack.addFrame(track.order, frame);
    this.invalidate();
  }

  // What it draws

  draw(now) {
    if (this.camera.width === 0 || this.camera.height === 0) return;
    this.advanceZoom(now);
    this.context.clearRect(0, 0, this.camera.width, this.camera.height);
    const piece = current();
    if (piece && piece.id === this.piece) {
      this.plan(now);
      this.drawLayers(piece);
      this.forgetUnseen();
    }
    this.report();
    for (const hook of this.hooks) hook();
  }

  /** Lets go of layers out of sight; those seen before stay, for a key that is held. */
  forgetUnseen() {
    const now = this.layers();
    if (String(now) !== String(this.looked?.now))
      this.looked = { now, before: this.looked?.now ?? [] };
    const kept = new Set([...now, ...this.looked.before, this.last]);
    for (const [layer, { stack }] of this.tracks) {
      if (kept.has(layer)) continue;
      stack.discard(() => true);
      this.tracks.delete(layer);
    }
  }

  drawLayers(piece) {
    const box = this.canvasBox(piece);
    this.placePaper(box);
    const layers = this.layers();
    const divide = layers.length > 1 ? Math.round(this.split * this.camera.width) : Infinity;
    this.drawLayer(layers[0], { ...box, right: Math.min(box.right, divide) });
    if (layers[1]) this.drawLayer(layers[1], { ...box, left: Math.max(box.left, divide) });
  }

  /** The canvas in the view's pixels, cut where the view ends. */
  canvasBox(piece) {
    const [left, top] = this.camera.toView([0, 0]);
    const [right, bottom] = this.camera.toView([1, piece.height]);
    const { width, height } = this.camera;
    const within = (value, end) => Math.round(Math.min(end + 40, Math.max(-40, value)));
    return {
      left: within(left, width),
      top: within(top, height),
      right: within(right, width),
      bottom: within(bottom, height),
    };
  }

  drawLayer(layer, { left, top, right, bottom }) {
    if (right <= left || bottom <= top) return;
    const track = this.shownTrack(layer);
    if (!track) return;
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    const playing = ui.playing && layer !== "target";
    track.stack.draw(
      context,
      this.camera,
      playing ? null : track.sheet,
      track.complete && !playing,
    );
    context.restore();
  }

  /** A layer of which nothing has come yet shows the one before it: better than a bare canvas. */
  shownTrack(layer) {
    const track = this.tracks.get(layer);
    if (track && !track.stack.isEmpty) {
      this.last = layer;
      return track;
    }
    return this.last ? this.tracks.get(this.last) : null;
  }

  /** The sheet's shadow is an element of its own: drawing one at every frame would be slow. */
  placePaper({ left, top, right, bottom }) {
    const css = (value) => `${value / this.density}px`;
    const { style } = this.paper;
    style.transform = `translate(${css(left)}, ${css(top)})`;
    style.width = css(Math.max(0, right - left));
    style.height = css(Math.max(0, bottom - top));
  }

  report() {
    const tracks = current() ? this.layers().map((layer) => this.tracks.get(layer)) : [];
    const sharp =
      tracks.length > 0 && !ui.playing && !this.goal && tracks.every((track) => track?.sharp);
    this.canvas.dataset.sharp = String(sharp);
    this.canvas.dataset.scale = String(this.camera.scale);
    this.canvas.dataset.region = this.camera.region().join(",");
  }
}
