// Where the view looks. The canvas is 1 wide; the view counts device pixels.

// Beyond this a pixel is less than what float64 can tell apart at the canvas's far side.
const MAX_SCALE = 1e12;
// The canvas may shrink to this share of the fitted size: enough to find it again.
const MIN_OF_FIT = 0.125;

export class Camera {
  constructor() {
    this.x = 0.5;
    this.y = 0.5;
    this.scale = 1; // device pixels in a canvas width
    this.width = 0; // of the view, in device pixels; 0 until it is on the page
    this.height = 0;
    this.fitScale = 1;
  }

  /**
   * The device pixels between the canvas's corner and the view's. Whole ones, so that tiles fall
   * on the screen's pixels.
   */
  offset() {
    return {
      x: Math.round(this.x * this.scale - this.width / 2),
      y: Math.round(this.y * this.scale - this.height / 2),
    };
  }

  /** A point of the view in canvas units. */
  toCanvas([px, py]) {
    const { x, y } = this.offset();
    return [(px + x) / this.scale, (py + y) / this.scale];
  }

  /** A point of the canvas in the view's pixels. */
  toView([x, y]) {
    const offset = this.offset();
    return [x * this.scale - offset.x, y * this.scale - offset.y];
  }

  /** Moves what is seen by pixels of the view. */
  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
  }

  /** Another scale, with the same point of the canvas under a pixel of the view. */
  zoomAt([px, py], scale) {
    const dx = px - this.width / 2;
    const dy = py - this.height / 2;
    this.x += dx / this.scale - dx / scale;
    this.y += dy / this.scale - dy / scale;
    this.scale = scale;
  }

  limited(scale) {
    return Math.min(MAX_SCALE, Math.max(this.fitScale * MIN_OF_FIT, scale));
  }

  /** The whole canvas within the view less its insets. */
  fitted(canvasHeight, { left, top, right, bottom }) {
    const width = Math.max(1, this.width - left - right);
    const height = Math.max(1, this.height - top - bottom);
    const scale = Math.min(width, height / canvasHeight);
    return {
      scale,
      x: 0.5 + (right - left) / 2 / scale,
      y: canvasHeight / 2 + (bottom - top) / 2 / scale,
    };
  }

  /** The part of the canvas that is seen: `[x, y, width, height]`, or null. */
  visible(canvasHeight) {
    const [left, top] = this.toCanvas([0, 0]).map((v) => Math.max(0, v));
    const [right, bottom] = this.toCanvas([this.width, this.height]);
    const region = [left, top, Math.min(1, right) - left, Math.min(canvasHeight, bottom) - top];
    return region[2] > 0 && region[3] > 0 ? region : null;
  }

  /** All that is seen, beyond the canvas too. */
  region() {
    const [x, y] = this.toCanvas([0, 0]);
    return [x, y, this.width / this.scale, this.height / this.scale];
  }
}
