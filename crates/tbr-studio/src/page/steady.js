// A small picture that follows what it is of: the old one stays until the new one is there, and
// no more than one a while is asked for. One that could not be had is asked for again.

import { pictureBlob } from "./api.js";

/**
 * Gives `show` of a key, which is another when the picture is, and of what to ask for, and
 * `clear`. Another piece's picture does not stay.
 */
export function steadyPicture(img, everyMs) {
  let wanted = { key: null };
  let shownKey = null;
  let timer = null;
  let lastAt = -Infinity;
  const load = async () => {
    lastAt = performance.now();
    const { key, piece, params } = wanted;
    const blob = await pictureBlob(piece, params, { priority: "low" }).catch(() => null);
    timer = null;
    if (blob && wanted.piece === piece) {
      shownKey = key;
      put(img, blob);
    }
    plan();
  };
  const plan = () => {
    if (timer != null || wanted.key === shownKey) return;
    timer = setTimeout(load, Math.max(0, lastAt + everyMs - performance.now()));
  };
  const clear = () => {
    wanted = { key: null };
    shownKey = null;
    put(img, null);
  };
  const show = (key, piece, params) => {
    if (wanted.piece !== piece) clear();
    wanted = { key, piece, params };
    plan();
  };
  return { show, clear };
}

function put(img, blob) {
  if (img.src) URL.revokeObjectURL(img.src);
  img.hidden = !blob;
  if (blob) img.src = URL.createObjectURL(blob);
  else img.removeAttribute("src");
}
