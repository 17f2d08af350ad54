// Playing the laying down: frames of the view at the wall clock's time, shown in order.

import { picture } from "./api.js";
import { frameOf, sourceOf } from "./source.js";
import { current, program, set, shownLayer, strokesLaid, ui } from "./store.js";

const FRAME_PX = 512;
// One is rendered while the other travels, so that the server never waits for the page.
const IN_FLIGHT = 2;
const GROW_SECONDS = 0.5;
const FPS_WINDOW_MS = 1000;
// After a frame that could not be had; a server that has gone refuses at once.
const FAILED_MS = 250;

const rest = (ms) => new Promise((done) => setTimeout(done, ms));

export class Player {
  constructor(view) {
    this.view = view;
    this.seconds = 10;
    this.fps = 0;
    this.run = null;
  }

  toggle() {
    if (ui.playing) this.pause();
    else this.play();
  }

  play() {
    const strokes = program()?.strokes ?? 0;
    if (strokes === 0 || ui.playing) return;
    const from = ui.time == null ? 0 : ui.time;
    const layer = shownLayer() === "target" ? "paint" : ui.layer;
    set({ playing: true, time: from, layer, hover: null, peek: false });
    const run = {
      piece: ui.piece,
      from,
      at: performance.now(),
      strokes,
      shown: [],
      next: 0,
      asked: 0,
      waiting: new Map(),
    };
    this.run = run;
    for (let i = 0; i < IN_FLIGHT; i++) this.request(run);
  }

  /** Stands where it is, on a whole stroke. */
  pause() {
    this.run = null;
    const time = Math.round(strokesLaid());
    set({ playing: false, time: time >= (program()?.strokes ?? 0) ? null : time });
  }

  /** Another speed goes on from the present stroke. */
  changeSeconds(seconds) {
    this.seconds = seconds;
    if (!this.run) return;
    this.run.from = strokesLaid();
    this.run.at = performance.now();
  }

  timeOf(run) {
    const passed = (performance.now() - run.at) / 1000;
    return run.from + (passed / this.seconds) * run.strokes;
  }

  /** Asks for the frame of this moment; when it is there, for the next. */
  async request(run) {
    if (this.run !== run) return;
    const time = Math.min(this.timeOf(run), run.strokes);
    const number = run.asked++;
    const frame = await this.fetch(run, time).catch(() => rest(FAILED_MS));
    if (this.run !== run) return frame?.bitmap.close();
    run.waiting.set(number, { frame, time });
    this.showInOrder(run);
    if (time < run.strokes) this.request(run);
  }

  async fetch(run, time) {
    const piece = current();
    const { camera } = this.view;
    const region = camera.visible(piece.height) ?? [0, 0, 1, piece.height];
    const wanted = frameOf(region, camera.scale, FRAME_PX);
    const grow = Math.max(1, (run.strokes / this.seconds) * GROW_SECONDS);
    const moment = time >= run.strokes ? {} : { time, grow };
    const { layer } = sourceOf(piece, shownLayer());
    const { width, height } = wanted;
    const params = { layer, ...moment, region: wanted.region.join(","), width, height };
    const bitmap = await picture(piece.id, params);
    return { ...wanted, layer, bitmap };
  }

  showInOrder(run) {
    while (run.waiting.has(run.next)) {
      const { frame, time } = run.waiting.get(run.next);
      run.waiting.delete(run.next++);
      if (frame) this.show(run, frame, time);
      if (this.run === run && time >= run.strokes) this.finish();
    }
  }

  show(run, frame, time) {
    this.view.present(frame.layer, frame);
    const now = performance.now();
    run.shown = [...run.shown.filter((at) => now - at < FPS_WINDOW_MS), now];
    const span = now - run.shown[0];
    this.fps = span > 0 ? ((run.shown.length - 1) * 1000) / span : 0;
    set({ time });
  }

  finish() {
    this.run = null;
    set({ playing: false, time: null });
  }

  /** Stops when what it plays is no longer what is open. */
  update() {
    if (this.run && (ui.offline || ui.piece !== this.run.piece || !program())) this.run = null;
    else if (this.run) this.run.strokes = program().strokes;
    if (ui.playing && !this.run) this.pause();
  }
}
