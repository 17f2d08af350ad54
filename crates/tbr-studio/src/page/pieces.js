// The open pieces on the left, and the page when there are none.

import { address } from "./api.js";
import { closePiece, openFiles, openSample } from "./actions.js";
import { attribute, h, plural, say, show, whenOther } from "./dom.js";
import { button, iconButton, progressBar } from "./controls.js";
import { icon } from "./icons.js";
import { atWork, openPiece, server, ui } from "./store.js";
import { steadyPicture } from "./steady.js";

const THUMBNAIL_PX = 256;
const THUMBNAIL_MS = 2000;

function status(piece) {
  const { fit, program, target } = piece;
  if (fit?.status === "waiting") return "in the queue";
  if (fit?.status === "running")
    return fit.step === 0 ? "first strokes…" : `fitting, ${Math.round(fit.progress * 100)} %`;
  if (fit?.status === "paused") return "paused";
  if (fit?.status === "failed") return "fit failed";
  if (program) return plural(program.strokes, "stroke");
  return target ? `${target.width_px} × ${target.height_px} px` : "";
}

class Row {
  constructor(id) {
    this.img = h("img", { alt: "" });
    this.picture = steadyPicture(this.img, THUMBNAIL_MS);
    this.name = h("span", { class: "piece-name" });
    this.status = h("span", { class: "piece-status" });
    this.progress = progressBar("Fit");
    const frame = h("span", { class: "piece-picture" }, this.img);
    this.open = h(
      "button",
      { type: "button", class: "piece-open", onclick: () => openPiece(id) },
      frame,
      this.name,
      this.status,
    );
    this.close = iconButton("Close", "close", {
      class: "icon-button piece-close",
      onclick: () => closePiece(id),
    });
    this.el = h(
      "li",
      { class: "piece", "data-testid": `piece-${id}` },
      this.open,
      this.progress.bar,
      this.close,
    );
  }

  update(piece) {
    const { id, program, target } = piece;
    const layer = program ? "paint" : "target";
    this.picture.show(`${layer} ${program?.revision ?? target?.revision}`, id, {
      layer,
      width: THUMBNAIL_PX,
    });
    say(this.name, piece.name);
    say(this.status, status(piece));
    attribute(this.name, "title", piece.name);
    const isOpen = piece.id === ui.piece;
    if (isOpen && !this.isOpen) this.el.scrollIntoView({ block: "nearest" });
    this.isOpen = isOpen;
    attribute(this.open, "aria-current", isOpen ? "true" : null);
    attribute(this.close, "aria-label", `Close ${piece.name}`);
    attribute(this.close, "title", `Close ${piece.name}`);
    show(this.progress.bar, atWork(piece));
    this.progress.set(
      piece.fit?.status === "running" && piece.fit.step === 0 ? null : (piece.fit?.progress ?? 0),
    );
  }
}

export class Pieces {
  constructor(el) {
    this.list = h("ul", { class: "piece-list" });
    this.rows = new Map();
    el.append(this.list);
  }

  update() {
    const pieces = server()?.pieces ?? [];
    const open = new Set(pieces.map((piece) => piece.id));
    for (const [id, row] of this.rows) {
      if (open.has(id)) continue;
      row.picture.clear();
      row.el.remove();
      this.rows.delete(id);
    }
    for (const piece of pieces) this.row(piece.id).update(piece);
  }

  row(id) {
    if (!this.rows.has(id)) {
      this.rows.set(id, new Row(id));
      this.list.append(this.rows.get(id).el);
    }
    return this.rows.get(id);
  }
}

/** One hidden file field for the whole page; `chooseFiles` opens its dialog. */
const input = h("input", {
  type: "file",
  multiple: true,
  class: "unseen",
  tabindex: -1,
  "aria-label": "Open files",
  "data-testid": "file-input",
});
input.addEventListener("change", () => {
  openFiles([...input.files]);
  input.value = "";
});

export const fileInput = input;
export const chooseFiles = () => input.click();

export class Empty {
  constructor(el) {
    this.el = el;
    this.samples = h("div", { class: "sample-grid" });
    this.fillSamples = whenOther((samples) =>
      this.samples.replaceChildren(...samples.map(sampleButton)),
    );
    const zone = h(
      "div",
      { class: "drop-zone", "data-testid": "drop-zone" },
      icon("picture"),
      h("h1", {}, "Drop a picture or a program here"),
      h("p", { class: "soft" }, "PNG, JPEG, WebP, TIFF, BMP, GIF, or a .tbr.json"),
      button("Choose a file…", { kind: "primary", onclick: chooseFiles }),
    );
    this.below = h(
      "div",
      { class: "samples" },
      h("h2", {}, "or start from a sample"),
      this.samples,
    );
    el.append(h("div", { class: "empty-inner" }, zone, this.below));
  }

  update() {
    const state = server();
    const isEmpty = state != null && state.pieces.length === 0;
    show(this.el, isEmpty);
    if (!isEmpty) return;
    this.fillSamples(state.samples, state.samples);
    show(this.below, state.samples.length > 0);
  }
}

function sampleButton({ name, about }) {
  const img = h("img", {
    src: address(`samples/${name}/picture`),
    alt: "",
    width: 132,
    height: 132,
  });
  const onclick = () => openSample(name);
  return h(
    "button",
    { type: "button", class: "sample", title: about, "data-testid": `sample-${name}`, onclick },
    img,
    h("span", {}, name),
  );
}
