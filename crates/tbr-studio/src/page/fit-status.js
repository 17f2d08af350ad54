// How a fit goes: in words, as a bar, as a curve and as a map of what is still wrong.

import { tellFit } from "./actions.js";
import { attribute, count, fill, h, say, seconds, show, whenOther } from "./dom.js";
import { button, progressBar } from "./controls.js";
import { scoreCurve } from "./curve.js";
import { steadyPicture } from "./steady.js";
import { atWork, set, ui } from "./store.js";
import { announce } from "./toast.js";

const MAP_PX = 288;
const MAP_MS = 1000;

const ENDINGS = { 1: "st", 2: "nd", 3: "rd" };

function ordinal(n) {
  const teen = n % 100 > 10 && n % 100 < 14;
  return `${n}${(!teen && ENDINGS[n % 10]) || "th"}`;
}

/** The state of a fit as a sentence. */
function words({ fit, program }) {
  const step =
    fit.steps == null ? "the first strokes" : `step ${count(fit.step)} of ${count(fit.steps)}`;
  if (fit.status === "waiting") return `${ordinal(Math.max(1, fit.place))} in the queue`;
  if (fit.status === "paused") return `Paused at ${step}`;
  if (fit.status === "stopped" && !program) return "Stopped before the first strokes";
  if (fit.status === "stopped") return `Stopped at ${step}; the best is kept`;
  if (fit.status === "done") return `Done in ${seconds(fit.seconds)}`;
  if (fit.status === "failed") return fit.error ?? "The fit has failed";
  if (fit.wants === "pause") return "Pausing after this step…";
  if (fit.wants === "stop") return "Stopping after this step…";
  return fit.step === 0
    ? "Laying the first strokes…"
    : `${step[0].toUpperCase()}${step.slice(1)}, ${seconds(fit.seconds)}`;
}

export class FitStatus {
  constructor(play) {
    this.sentence = h("p", { class: "fit-sentence", "data-testid": "fit-status" });
    this.progress = progressBar("Progress of the fit");
    this.ratio = h("span", { class: "figure", "data-testid": "floor-ratio" });
    this.curve = h("div", {});
    this.drawCurve = whenOther((fit) =>
      fill(this.curve, scoreCurve(fit.curve, fit.ceiling, fit.seconds)),
    );
    this.map = h("img", { alt: "Error map: where the replay differs from the target" });
    this.steadyMap = steadyPicture(this.map, MAP_MS);
    this.pause = button("Pause", {
      kind: "small",
      testid: "pause",
      picture: "pause",
      onclick: () => tellFit("pause"),
    });
    this.resume = button("Continue", {
      kind: "small",
      testid: "continue",
      picture: "play",
      onclick: () => tellFit("continue"),
    });
    this.stop = button("Stop and keep the best", {
      kind: "small",
      testid: "stop",
      picture: "stop",
      onclick: () => tellFit("stop"),
    });
    this.take = button("Export…", {
      kind: "primary",
      testid: "next-export",
      onclick: () => set({ tab: "out" }),
    });
    this.watch = button("Play", { picture: "play", testid: "next-play", onclick: play });
    this.el = h("section", { class: "part fit-status", "aria-label": "The fit" }, ...this.parts());
  }

  parts() {
    this.score = h(
      "div",
      { class: "score" },
      this.ratio,
      h(
        "p",
        { class: "soft small" },
        "floor ratio: error of the best single colour over that of the replay; more is better",
      ),
    );
    this.figure = h(
      "figure",
      { class: "error-map" },
      this.map,
      h("figcaption", { class: "soft small" }, "what still differs, four times as strong"),
    );
    return [
      this.sentence,
      this.progress.bar,
      h("div", { class: "row buttons" }, this.pause, this.resume, this.stop),
      h("div", { class: "row buttons" }, this.take, this.watch),
      this.score,
      this.curve,
      this.figure,
    ];
  }

  update(piece) {
    const { fit, program, target } = piece;
    show(this.el, Boolean(fit));
    this.tell(piece);
    if (!fit) return;
    this.updateWords(piece);
    this.updateButtons(piece);
    show(this.score, fit.floor_ratio != null);
    say(this.ratio, fit.floor_ratio == null ? "" : fit.floor_ratio.toFixed(2));
    show(this.curve, fit.curve.length > 0);
    this.drawCurve([fit.curve, fit.ceiling, Math.round(fit.seconds)], fit);
    const hasMap = Boolean(program && target);
    show(this.figure, hasMap);
    if (!hasMap || ui.tab !== "fit") return;
    const wanted = { layer: "error", width: MAP_PX };
    this.steadyMap.show(`${program.revision} ${target.revision}`, piece.id, wanted);
  }

  updateWords(piece) {
    const { fit } = piece;
    say(this.sentence, words(piece));
    this.sentence.classList.toggle("bad", fit.status === "failed");
    show(this.progress.bar, fit.status !== "done" && fit.status !== "failed");
    this.progress.set(fit.status === "running" && fit.step === 0 ? null : fit.progress);
  }

  /** Every step would be too much to hear, and what another piece has come to is not news. */
  tell(piece) {
    const { id, fit } = piece;
    const news = fit ? `${fit.status} ${fit.place}` : null;
    const { heard } = this;
    this.heard = { id, news };
    if (heard?.id === id && heard.news !== news && fit) announce(words(piece));
  }

  updateButtons(piece) {
    const { fit, program } = piece;
    const { status, wants } = fit;
    show(this.pause, status === "running" || status === "waiting");
    show(this.stop, atWork(piece));
    show(this.resume, fit.resumable);
    this.pause.disabled = wants != null;
    this.stop.disabled = wants === "stop";
    const ended = (status === "done" || status === "stopped") && Boolean(program);
    show(this.take, ended);
    show(this.watch, ended);
    attribute(this.take, "class", status === "done" ? "button primary" : "button");
  }
}
