// The line on top: opening, the piece's name, undo and redo, the theme, help.

import { openSample, redo, undo } from "./actions.js";
import { attribute, h, plural, say, show, svg, whenOther } from "./dom.js";
import { button, iconButton } from "./controls.js";
import { Menu } from "./menu.js";
import { chooseFiles } from "./pieces.js";
import { atWork, current, server, set, ui } from "./store.js";
import { themeButton } from "./theme.js";

export class Header {
  constructor(el, openHelp) {
    this.samples = new Menu("Samples", "samples");
    this.fillSamples = whenOther((samples) => this.samples.fill(samples.map(sampleItem)));
    this.name = h("h1", { class: "title" });
    this.undo = iconButton("Undo", "undo", { testid: "undo", onclick: undo });
    this.redo = iconButton("Redo", "redo", { testid: "redo", onclick: redo });
    this.badge = h("button", { type: "button", class: "badge", onclick: showChanges });
    el.append(
      wordmark(),
      button("Open", { picture: "open", kind: "quiet", testid: "open", onclick: chooseFiles }),
      this.samples.el,
      h("div", { class: "title-group" }, this.name, this.undo, this.redo, this.badge),
      h(
        "div",
        { class: "header-end" },
        themeButton(),
        iconButton("Keyboard shortcuts (?)", "help", { testid: "help", onclick: openHelp }),
      ),
    );
  }

  update() {
    const piece = current();
    const program = piece?.program;
    const samples = server()?.samples ?? [];
    this.fillSamples(samples, samples);
    show(this.samples.el, samples.length > 0);
    show(this.name.parentElement, Boolean(piece));
    say(this.name, piece?.name ?? "");
    this.step(this.undo, "Undo", program?.undo, atWork(piece));
    this.step(this.redo, "Redo", program?.redo, atWork(piece));
    const steps = program?.steps ?? 0;
    show(this.badge, steps > 0);
    say(this.badge, plural(steps, "change"));
    attribute(this.badge, "title", "Show what has changed");
    document.title = piece ? `${piece.name} – tbr studio` : "tbr studio";
  }

  step(el, word, label, busy) {
    el.disabled = !label || busy;
    const name = label ? `${word}: ${label}` : word;
    attribute(el, "aria-label", name);
    attribute(el, "title", busy ? `${word}: not while a fit is at work` : name);
  }
}

function showChanges() {
  set({ tab: "change", layer: ui.layer === "changes" ? "paint" : "changes" });
}

function sampleItem({ name, about }) {
  return { label: name, about, act: () => openSample(name) };
}

function wordmark() {
  const blob = (d, part) => svg("path", { d, class: `mark-${part}` });
  const mark = svg(
    "svg",
    { viewBox: "0 0 24 24", class: "mark", "aria-hidden": "true" },
    blob("M2 14C2 7 6 2 12.2 2 19 2 22 7 22 11c0 6.2-5 11-11 11-5.2 0-9-3.5-9-8z", "outer"),
    blob(
      "M6 13.4c0-5 3-8.1 7-8.1 4.7 0 5.9 3 5.9 5.9 0 4-3.8 7.1-7.8 7.1-3 0-5.1-2-5.1-4.9z",
      "middle",
    ),
    blob("M10 12.4c0-2 1.1-3.9 3-3.9s2.9 1 2.9 2.9-1.9 3.9-3.9 3.9-2-1-2-2.9z", "inner"),
  );
  return h(
    "div",
    { class: "wordmark", "aria-label": "tbr studio", role: "img" },
    mark,
    h("b", {}, "tbr"),
    h("span", {}, "studio"),
  );
}
