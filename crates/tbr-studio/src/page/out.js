// The Out tab: what can be taken away, and the files that are being made.

import { address } from "./api.js";
import { beginExport, removeExport, saveExport } from "./actions.js";
import { bytes, fill, h, say, show, whenOther } from "./dom.js";
import {
  button,
  checkbox,
  choice,
  field,
  iconButton,
  number,
  numberIn,
  progressBar,
  tick,
} from "./controls.js";
import { Holds } from "./holds.js";
import { icon } from "./icons.js";
import { current, server, set } from "./store.js";
import { announce, failure } from "./toast.js";

const FILM_FPS = 30;
const GROW_SECONDS = 0.5;
const SMOOTH_SAMPLES = 3;

// What this page began is downloaded when it is done; another page's is not.
const begun = new Set();

async function begin(wishes) {
  const made = await beginExport(wishes);
  if (!made) return;
  begun.add(made.id);
  // It may be done already, by an event that came before this answer.
  set({});
}

export class OutTab {
  constructor() {
    this.film = new FilmCard();
    this.cards = h(
      "div",
      { class: "part out-cards" },
      pictureCard(),
      drawingCard(),
      this.film.el,
      programCard(),
      reportCard(),
    );
    this.none = h(
      "div",
      { class: "part" },
      h("h2", {}, "Nothing to take away yet"),
      h("p", { class: "soft" }, "There is no program yet. Fit the picture first."),
      button("Go to Fit", { onclick: () => set({ tab: "fit" }) }),
    );
    this.files = new Files();
    this.holds = new Holds();
    this.el = h("div", {}, this.none, this.cards, this.files.el, this.holds.el);
  }

  update() {
    const program = current()?.program;
    show(this.none, !program);
    show(this.cards, Boolean(program));
    show(this.holds.el, Boolean(program));
    this.holds.update();
    this.film.update();
    this.files.update();
  }
}

function card(title, picture, about, controls, action) {
  const head = h(
    "div",
    { class: "out-head" },
    icon(picture),
    h("div", {}, h("h2", {}, title), h("p", { class: "soft small" }, about)),
    action,
  );
  return h(
    "section",
    { class: "out-card", "aria-label": title },
    head,
    controls.length > 0 && h("div", { class: "out-controls" }, controls),
  );
}

function exportButton(kind, name, onclick) {
  return button("Export", {
    kind: "small",
    testid: `export-${kind}`,
    "aria-label": `Export ${name}`,
    onclick,
  });
}

function pictureCard() {
  const width = number(2048, 1, 32768);
  const smooth = checkbox({ checked: true });
  const transparent = checkbox();
  const send = () =>
    begin({
      kind: "png",
      width: numberIn(width, 2048),
      samples: smooth.checked ? SMOOTH_SAMPLES : 1,
      transparent: transparent.checked,
    });
  const controls = [
    field("Width, px", width),
    tick("Smooth edges", smooth),
    tick("Transparent background", transparent),
  ];
  return card(
    "Picture",
    "picture",
    "PNG, at any size",
    controls,
    exportButton("png", "a picture", send),
  );
}

function drawingCard() {
  return card(
    "Drawing",
    "drawing",
    "SVG, one path a stroke",
    [],
    exportButton("svg", "a drawing", () => begin({ kind: "svg" })),
  );
}

function programCard() {
  return card(
    "Program",
    "program",
    ".tbr.json, to open again",
    [],
    exportButton("program", "the program", () => begin({ kind: "program" })),
  );
}

function reportCard() {
  return card(
    "Report",
    "report",
    "HTML, one page about it",
    [],
    exportButton("report", "a report", () => begin({ kind: "report" })),
  );
}

class FilmCard {
  constructor() {
    this.format = choice([], {});
    this.fillFormats = whenOther((films) => this.makeFormats(films));
    this.seconds = number(10, 0.5, 600, { step: "any" });
    this.width = number(512, 16, 4096);
    this.send = exportButton("film", "a film", () => this.begin());
    const controls = [
      field("Format", this.format),
      field("Seconds", this.seconds),
      field("Width, px", this.width),
    ];
    this.el = card("Film", "film", "The paint being laid", controls, this.send);
  }

  makeFormats(films) {
    const label = ({ name, about, available }) => (available ? name : `${name}: ${about}`);
    const option = (film) =>
      h("option", { value: film.name, disabled: !film.available, title: film.about }, label(film));
    fill(this.format, films.map(option));
    this.format.value = films.find((film) => film.available)?.name ?? "";
    this.send.disabled = !films.some((film) => film.available);
  }

  update() {
    const films = server()?.films ?? [];
    this.fillFormats(films, films);
  }

  begin() {
    return begin({
      kind: "film",
      format: this.format.value,
      seconds: numberIn(this.seconds, 10),
      fps: FILM_FPS,
      width: numberIn(this.width, 512),
      grow_seconds: GROW_SECONDS,
    });
  }
}

class Files {
  constructor() {
    this.list = h("ul", { class: "files" });
    this.none = h(
      "p",
      { class: "soft small" },
      "What you export is listed here, and downloaded when it is done.",
    );
    this.el = h("section", { class: "part" }, h("h2", {}, "Files"), this.none, this.list);
    this.rows = new Map();
  }

  update() {
    const piece = current();
    const all = server()?.exports ?? [];
    const mine = all.filter((made) => made.piece === piece?.id);
    show(this.none, mine.length === 0);
    const rows = mine.map((made) => this.row(made));
    const isShown =
      rows.length === this.list.children.length &&
      rows.every((row, i) => this.list.children[i] === row.el);
    if (!isShown)
      fill(
        this.list,
        rows.map((row) => row.el),
      );
    // Those of other pieces as well: their piece may have been left meanwhile.
    for (const made of all)
      if (begun.has(made.id) && made.status !== "working") this.finished(made);
    for (const id of this.rows.keys())
      if (!all.some((made) => made.id === id)) this.rows.delete(id);
  }

  row(made) {
    if (!this.rows.has(made.id)) this.rows.set(made.id, new FileRow(made));
    const row = this.rows.get(made.id);
    row.update(made);
    return row;
  }

  finished(made) {
    begun.delete(made.id);
    if (made.status === "failed") {
      failure(`${made.name} could not be made.`, made.error);
      return;
    }
    announce(`${made.name} is done`);
    this.row(made).download.click();
  }
}

class FileRow {
  constructor({ id, name }) {
    this.name = h("span", { class: "file-name", title: name }, name);
    this.about = h("span", { class: "soft small" });
    this.progress = progressBar(`Making ${name}`);
    this.download = h(
      "a",
      { class: "button small", href: address(`exports/${id}/file`), download: name },
      icon("download"),
      "Download",
    );
    this.save = button("Save", { kind: "small", onclick: () => saveExport(id) });
    const remove = iconButton(`Remove ${name}`, "close", { onclick: () => removeExport(id) });
    this.el = h(
      "li",
      { class: "file", "data-testid": "export-row" },
      h(
        "div",
        { class: "file-head" },
        h("div", { class: "file-words" }, this.name, this.about),
        remove,
      ),
      this.progress.bar,
      h("div", { class: "row buttons" }, this.download, this.save),
    );
  }

  update({ status, progress, bytes: size, saved, error }) {
    const folder = server().save_folder;
    this.el.dataset.status = status;
    show(this.progress.bar, status === "working");
    this.progress.set(progress);
    show(this.download, status === "done");
    show(this.save, status === "done" && folder != null && saved == null);
    say(this.save.querySelector(".words"), `Save to ${folder}`);
    const done = [size == null ? "done" : bytes(size), saved != null && `saved as ${saved}`]
      .filter(Boolean)
      .join(", ");
    const told = {
      working: `${Math.round((progress ?? 0) * 100)} %`,
      done,
      failed: error ?? "failed",
    };
    say(this.about, told[status]);
    this.about.classList.toggle("bad", status === "failed");
  }
}
