// What a program holds, as tbr info tells it: asked for only while somebody looks.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { current } from "./store.js";
import { attempt } from "./toast.js";

export class Holds {
  constructor() {
    this.table = h("dl", { class: "facts small", "data-testid": "facts" });
    this.el = h(
      "details",
      { class: "more part", ontoggle: () => this.update() },
      h("summary", {}, "What the program holds"),
      this.table,
    );
  }

  async update() {
    const { id, program } = current() ?? {};
    if (!this.el.open || !program || this.shown === program.revision) return;
    this.shown = program.revision;
    const told = await attempt(() => get(`pieces/${id}/info`));
    const fact = ({ name, text }) => h("div", {}, h("dt", {}, name), h("dd", {}, text));
    if (told && this.shown === program.revision) fill(this.table, told.rows.map(fact));
  }
}
