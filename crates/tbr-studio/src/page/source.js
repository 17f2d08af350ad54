// Which picture a layer is of: what to ask the server for, and a key that tells two apart.

import { ui } from "./store.js";

/** The picture of a layer of a piece at the playhead. */
export function sourceOf(piece, layer) {
  if (layer === "target") {
    const key = `${piece.id} target ${piece.target?.revision}`;
    return { piece: piece.id, layer, key, params: { layer }, exact: { layer } };
  }
  const revision = piece.program?.revision;
  const params = { layer, time: ui.time };
  const key = `${piece.id} ${layer} ${revision} ${piece.target?.revision} ${ui.time}`;
  // Frames take whatever revision there is by then; tiles must belong together.
  return { piece: piece.id, layer, key, params, exact: { ...params, revision } };
}

/**
 * The size and the region of a picture of what is seen, with square pixels and its longer side
 * at most so long. The region may reach a little beyond.
 */
export function frameOf(region, scale, longestPx) {
  const [x, y, width, height] = region;
  const finest = longestPx / Math.max(width, height);
  const used = Math.min(scale, finest);
  const size = [Math.max(1, Math.ceil(width * used)), Math.max(1, Math.ceil(height * used))];
  return { region: [x, y, size[0] / used, size[1] / used], width: size[0], height: size[1] };
}
