// Tabs as the ARIA practices have them: one stop for the keyboard, arrows between them.

import { attribute, h, show } from "./dom.js";
import { set, ui } from "./store.js";

export class Tabs {
  /** `tabs` are `{name, label, panel}`, where a panel has an element and an update. */
  constructor(el, tabs) {
    this.tabs = tabs.map((tab) => this.make(tab));
    this.list = h(
      "div",
      {
        class: "tab-list",
        role: "tablist",
        "aria-label": "What to do",
        onkeydown: (event) => this.key(event),
      },
      this.tabs.map((tab) => tab.button),
    );
    el.append(this.list, ...this.tabs.map((tab) => tab.frame));
  }

  make({ name, label, panel }) {
    const button = h(
      "button",
      {
        type: "button",
        class: "tab",
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": `panel-${name}`,
        "data-testid": `tab-${name}`,
        onclick: () => set({ tab: name }),
      },
      label,
    );
    const frame = h(
      "div",
      {
        class: "tab-panel",
        role: "tabpanel",
        id: `panel-${name}`,
        "aria-labelledby": `tab-${name}`,
      },
      panel.el,
    );
    return { name, button, frame, panel };
  }

  key(event) {
    const at = this.tabs.findIndex((tab) => tab.name === ui.tab);
    const ends = { Home: 0, End: this.tabs.length - 1 };
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, ...ends };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const next = this.tabs.at(steps[event.key] % this.tabs.length);
    set({ tab: next.name });
    next.button.focus();
  }

  update() {
    for (const { name, button, frame, panel } of this.tabs) {
      const on = name === ui.tab;
      attribute(button, "aria-selected", String(on));
      attribute(button, "tabindex", on ? "0" : "-1");
      show(frame, on);
      panel.update();
    }
  }
}
