// Moving the view.

export class HandTool {
  constructor(view) {
    this.view = view;
    this.cursor = "grab";
  }

  begin(start) {
    return panning(this.view, start);
  }
}

/** A gesture that drags the view along. */
export function panning(view, start) {
  let last = start;
  return {
    cursor: "grabbing",
    move(p) {
      view.pan(p[0] - last[0], p[1] - last[1]);
      last = p;
    },
  };
}
