// Files dropped anywhere on the page.

import { openFiles } from "./actions.js";
import { fill, h, show } from "./dom.js";

const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

export function acceptDrops(overlay) {
  fill(overlay, h("p", {}, "Let go to open"));
  let depth = 0; // entering a child comes before leaving its parent
  const set = (next) => {
    depth = Math.max(0, next);
    show(overlay, depth > 0);
  };
  const on = (name, heard) => {
    addEventListener(name, (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      heard(event);
    });
  };
  on("dragenter", () => set(depth + 1));
  on("dragleave", () => set(depth - 1));
  on("dragover", (event) => (event.dataTransfer.dropEffect = "copy"));
  on("drop", (event) => {
    set(0);
    openFiles([...event.dataTransfer.files]);
  });
}
