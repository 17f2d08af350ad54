// What has been received of one layer, and how it is drawn while better is on its way.

export const TILE_PX = 256;
// Scales that are kept of one picture, to zoom back to without waiting.
const SHEETS_KEPT = 4;
// Tiles of one sheet; beyond it those out of sight go. A 4K screen shows 150.
const TILES_KEPT = 400;

/**
 * The tiles that a view shows at its exact scale, those in the middle first. They stand on a
 * grid from the canvas's corner and end where it ends.
 */
export function tilesInView(camera, canvasHeight) {
  const offset = camera.offset();
  const end = { x: Math.ceil(camera.scale), y: Math.ceil(camera.scale * canvasHeight) };
  const range = (from, size, to) => {
    const first = Math.max(0, Math.floor(from / TILE_PX));
    const last = Math.ceil(Math.min(to, from + size) / TILE_PX);
    return Array.from({ length: Math.max(0, last - first) }, (_, i) => (first + i) * TILE_PX);
  };
  const tiles = [];
  for (const py of range(offset.y, camera.height, end.y)) {
    for (const px of range(offset.x, camera.width, end.x)) {
      const size = [Math.min(TILE_PX, end.x - px), Math.min(TILE_PX, end.y - py)];
      tiles.push({ at: `${px},${py}`, px, py, size });
    }
  }
  const middle = { x: offset.x + camera.width / 2, y: offset.y + camera.height / 2 };
  const far = ({ px, py }) => Math.hypot(px + TILE_PX / 2 - middle.x, py + TILE_PX / 2 - middle.y);
  return tiles.sort((a, b) => far(a) - far(b));
}

/** Tiles at one scale, or a single picture of the whole view. */
class Sheet {
  constructor(key, order, scale, isFrame) {
    Object.assign(this, { key, order, scale, isFrame });
    this.tiles = new Map();
  }

  put(tile, bitmap, samples) {
    this.tiles.get(tile.at)?.bitmap.close();
    this.tiles.set(tile.at, { ...tile, bitmap, samples });
  }

  has(tile, samples) {
    return (this.tiles.get(tile.at)?.samples ?? 0) >= samples;
  }

  drop() {
    for (const { bitmap } of this.tiles.values()) bitmap.close();
    this.tiles.clear();
  }

  dropAllBut(kept) {
    const wanted = new Set(kept.map((tile) => tile.at));
    for (const [at, { bitmap }] of this.tiles) {
      if (wanted.has(at)) continue;
      bitmap.close();
      this.tiles.delete(at);
    }
  }
}

/** All sheets of a layer. `order` grows when the layer shows something else (another revision or time). */
export class Stack {
  constructor() {
    this.sheets = [];
  }

  /** The sheet of a picture at a scale, made if need be. */
  sheet(key, order, scale) {
    let sheet = this.sheets.find((s) => !s.isFrame && s.key === key && s.scale === scale);
    if (!sheet) {
      sheet = new Sheet(key, order, scale, false);
      this.sheets.push(sheet);
    }
    sheet.order = order;
    return sheet;
  }

  /** A picture of the whole view takes the place of all that is older. */
  addFrame(order, { region, width, bitmap }) {
    const scale = width / region[2];
    const frame = new Sheet(null, order, scale, true);
    const [px, py] = [region[0] * scale, region[1] * scale];
    frame.put({ at: "frame", px, py, size: [bitmap.width, bitmap.height] }, bitmap, 1);
    this.discard((sheet) => sheet.order < order || (sheet.isFrame && sheet.order === order));
    if (!this.sheets.some((sheet) => sheet.order > order && sheet.isFrame)) this.sheets.push(frame);
    else frame.drop();
  }

  /** Whether a frame of this order shows a region at least at a scale. */
  covers(order, [x, y, width, height], scale) {
    const frame = this.sheets.find((sheet) => sheet.isFrame && sheet.order === order);
    if (!frame || frame.scale < scale) return false;
    const { px, py, size } = frame.tiles.get("frame");
    const slack = 1;
    const [x0, y0] = [x * frame.scale, y * frame.scale];
    const [x1, y1] = [x0 + width * frame.scale, y0 + height * frame.scale];
    return (
      px <= x0 + slack &&
      py <= y0 + slack &&
      px + size[0] >= x1 - slack &&
      py + size[1] >= y1 - slack
    );
  }

  hasAny(order) {
    return this.sheets.some((sheet) => sheet.order === order && sheet.tiles.size > 0);
  }

  get isEmpty() {
    return this.sheets.every((sheet) => sheet.tiles.size === 0);
  }

  discard(unwanted) {
    for (const sheet of this.sheets.filter(unwanted)) sheet.drop();
    this.sheets = this.sheets.filter((sheet) => !unwanted(sheet));
  }

  /** Lets go of what will hardly be seen again, once `sheet` shows all of the view. */
  tidy(sheet, tiles) {
    this.discard((other) => other.order < sheet.order || other.isFrame);
    const others = this.sheets.filter((other) => other !== sheet);
    const old = new Set(others.slice(0, Math.max(0, others.length - SHEETS_KEPT)));
    this.discard((other) => old.has(other));
    if (sheet.tiles.size > TILES_KEPT) sheet.dropAllBut(tiles);
  }

  /** Draws the exact tiles if they are all there, else the best that there is. */
  draw(context, camera, sheet, complete) {
    const sheets = complete ? [sheet] : this.sheets.filter((other) => this.fits(other, sheet));
    sheets.sort((a, b) => a.order - b.order || a.scale - b.scale);
    for (const each of sheets) drawSheet(context, camera, each);
  }

  /**
   * Single new tiles among those of an older revision would look like a broken picture: they
   * wait until a frame of theirs is there, or all of them.
   */
  fits(other, sheet) {
    if (!sheet || other.order !== sheet.order || other.isFrame) return true;
    const older = this.sheets.some((s) => s.order < sheet.order && s.tiles.size > 0);
    return !older || this.sheets.some((s) => s.isFrame && s.order === sheet.order);
  }
}

function drawSheet(context, camera, sheet) {
  const offset = camera.offset();
  const exact = !sheet.isFrame && sheet.scale === camera.scale;
  context.imageSmoothingEnabled = !exact;
  context.imageSmoothingQuality = "medium";
  for (const tile of sheet.tiles.values()) {
    if (exact) context.drawImage(tile.bitmap, tile.px - offset.x, tile.py - offset.y);
    else drawScaled(context, camera, offset, sheet.scale, tile);
  }
}

/** Only the part in view: coordinates beyond a few million pixels would not be drawn at all. */
function drawScaled(context, camera, offset, scale, { bitmap, px, py, size }) {
  const ratio = camera.scale / scale;
  const span = (start, length, from, viewed) => {
    const low = Math.max(0, from / ratio - start);
    const high = Math.min(length, (from + viewed) / ratio - start);
    return [low, high - low];
  };
  const [sx, sw] = span(px, size[0], offset.x, camera.width);
  const [sy, sh] = span(py, size[1], offset.y, camera.height);
  if (sw <= 0 || sh <= 0) return;
  // Whole pixels, so that no seams show between neighbours.
  const [x0, y0] = [
    Math.round((px + sx) * ratio - offset.x),
    Math.round((py + sy) * ratio - offset.y),
  ];
  const [x1, y1] = [
    Math.round((px + sx + sw) * ratio - offset.x),
    Math.round((py + sy + sh) * ratio - offset.y),
  ];
  context.drawImage(bitmap, sx, sy, sw, sh, x0, y0, x1 - x0, y1 - y0);
}
