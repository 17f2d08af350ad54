// What has been changed since the program was opened or fitted.

import { get, latest } from "./api.js";
import { attribute, fill, h, plural, say, show } from "./dom.js";
import { button } from "./controls.js";
import { set, ui } from "./store.js";

// The share of pixels takes two renders: a hand that drags should not cause dozens.
const REST_MS = 300;

export class StepsPart {
  constructor() {
    this.list = h("ol", { class: "steps", "data-testid": "changes-steps" });
    this.share = h("p", { class: "soft small" });
    this.none = h("p", { class: "soft small" }, "Nothing yet.");
    this.show = button("Show on the canvas", {
      kind: "small",
      testid: "show-changes",
      onclick: () => this.toggle(),
    });
    this.el = h(
      "section",
      { class: "part" },
      h("h2", {}, "Since the file"),
      this.none,
      this.list,
      this.share,
      h("div", { class: "row" }, this.show),
    );
    this.ask = latest((...args) => this.fetch(...args));
  }

  toggle() {
    set({ layer: ui.layer === "changes" ? "paint" : "changes" });
  }

  update({ revision, steps }) {
    show(this.none, steps === 0);
    show(this.list, steps > 0);
    show(this.share, steps > 0);
    show(this.show, steps > 0);
    attribute(this.show, "aria-pressed", String(ui.layer === "changes"));
    const id = ui.piece;
    const key = `${id} ${revision}`;
    if (ui.tab !== "change" || steps === 0 || key === this.key) return;
    this.key = key;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(key, id), REST_MS);
  }

  async fetch(key, id) {
    const changes = await get(`pieces/${id}/changes`).catch(() => null);
    if (changes && key === this.key) this.tell(changes);
  }

  tell({ steps, undone, strokes_before, strokes, changed_strokes, pixels_share }) {
    fill(
      this.list,
      steps.map((step) => h("li", {}, step)),
    );
    const share =
      pixels_share == null ? null : `${(pixels_share * 100).toFixed(1)} % of the pixels`;
    const more = strokes - strokes_before;
    const told = [
      share,
      plural(changed_strokes, "changed stroke"),
      more > 0 && `${more} more`,
      more < 0 && `${-more} fewer`,
      undone > 0 && `${plural(undone, "step")} undone`,
    ];
    say(this.share, told.filter(Boolean).join(" · "));
  }
}
