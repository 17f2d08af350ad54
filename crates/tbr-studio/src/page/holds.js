// What a program holds, as tbr info tells it: asked for only while somebody looks.

import { get, latest } from "./api.js";
import { fill, h } from "./dom.js";
import { current, ui } from "./store.js";

// A hand that drags, or a fit that runs, should not cause dozens.
const REST_MS = 300;

export class Holds {
  constructor() {
    this.table = h("dl", { class: "facts small", "data-testid": "facts" });
    this.el = h(
      "details",
      { class: "more part", ontoggle: () => this.update() },
      h("summary", {}, "What the program holds"),
      this.table,
    );
    this.ask = latest((...args) => this.fetch(...args));
  }

  update() {
    const { id, program } = current() ?? {};
    const key = `${id} ${program?.revision}`;
    if (!this.el.open || ui.tab !== "out" || !program || key === this.key) return;
    this.key = key;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(key, id), REST_MS);
  }

  async fetch(key, id) {
    const told = await get(`pieces/${id}/info`).catch(() => null);
    const fact = ({ name, text }) => h("div", {}, h("dt", {}, name), h("dd", {}, text));
    if (told && key === this.key) fill(this.table, told.rows.map(fact));
  }
}
