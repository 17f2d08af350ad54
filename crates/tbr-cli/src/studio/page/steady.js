// A small picture that follows what it is of: the old one stays until the new one is there, and
// no more than one a while is asked for.

import { pictureBlob } from "./api.js";

/** Gives a function of a key, which is another when the picture is, and of what to ask for. */
export function steadyPicture(img, everyMs) {
  let wanted = { key: null };
  let shownKey = null;
  let timer = null;
  let lastAt = -Infinity;
  const load = async () => {
    lastAt = performance.now();
    const { key, piece, params } = wanted;
    // A piece or a server that has gone: another key will come.
    const blob = await pictureBlob(piece, params, { priority: "low" }).catch(() => null);
    timer = null;
    shownKey = key;
    if (blob && wanted.piece === piece) put(img, blob);
    plan();
  };
  const plan = () => {
    if (timer != null || wanted.key === shownKey) return;
    timer = setTimeout(load, Math.max(0, lastAt + everyMs - performance.now()));
  };
  return (key, piece, params) => {
    wanted = { key, piece, params };
    plan();
  };
}

function put(img, blob) {
  const old = img.src;
  img.src = URL.createObjectURL(blob);
  if (old) URL.revokeObjectURL(old);
}
