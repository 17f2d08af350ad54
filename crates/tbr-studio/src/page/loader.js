// Tile requests: a few at a time, the ones wanted most first, and none that nobody wants.

import { picture } from "./api.js";

// Browsers open six connections to a server. Three are left to events, frames and edits.
const AT_ONCE = 3;
// A tile that could not be had is not asked for again before this.
const FAILED_MS = 1500;

export class Loader {
  constructor() {
    this.flying = new Map();
    this.failed = new Map();
    this.queue = [];
  }

  /**
   * From now on these and no others are wanted: `{key, piece, params, arrived(bitmap)}`.
   */
  want(list) {
    const keys = new Set(list.map((wish) => wish.key));
    for (const [key, abort] of this.flying) {
      if (keys.has(key)) continue;
      abort.abort();
      this.flying.delete(key);
    }
    const now = performance.now();
    for (const [key, at] of this.failed) if (now - at >= FAILED_MS) this.failed.delete(key);
    const rests = (key) => this.failed.has(key);
    this.queue = list.filter(({ key }) => !this.flying.has(key) && !rests(key));
    this.pump();
  }

  pump() {
    while (this.flying.size < AT_ONCE && this.queue.length > 0) this.start(this.queue.shift());
  }

  async start({ key, piece, params, arrived }) {
    const abort = new AbortController();
    this.flying.set(key, abort);
    try {
      const bitmap = await picture(piece, params, { signal: abort.signal, priority: "low" });
      // What has come already is decoded all the same.
      if (abort.signal.aborted) bitmap.close();
      else arrived(bitmap);
    } catch {
      // Not wanted any more, or a newer revision is coming (409), or the server has gone.
      if (!abort.signal.aborted) this.failed.set(key, performance.now());
    }
    if (this.flying.get(key) === abort) this.flying.delete(key);
    this.pump();
  }
}
