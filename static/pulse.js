// @ts-check
// A connection that brings nothing is quiet or dead, and the page can't see which: the server's pings are the browser's affair. So a waiting page
// has them told as messages. After a longer silence it asks over HTTP, and a phone that wakes asks at once.

import { at } from "./address.js";

/** An answer that takes longer doesn't come. */
const patience = 5_000;

/** Who comes back to a page asks at once, unless it was heard of within this time. */
const fresh = 2_000;

/** The server speaks so often at least, or at a third of the heartbeat. */
const spoken = 25_000;

/** A message may come so much later. */
const late = 2_000;

/** How long a waiting page is quiet before it asks. @param {number} heartbeat milliseconds */
export function quietFor(heartbeat) {
  return Math.min(spoken, heartbeat / 3) + late;
}

export class Pulse {
  /**
   * @param {() => number} quiet milliseconds of silence before it asks
   * @param {() => Promise<void>} ask
   */
  constructor(quiet, ask) {
    this.quiet = quiet;
    this.ask = ask;
    this.asking = false;
    /** @type {number|undefined} */
    this.timer = undefined;
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && performance.now() - this.heardAt > fresh) this.feel();
    });
    this.heard();
  }

  /** Something came. */
  heard() {
    this.heardAt = performance.now();
    this.again();
  }

  again() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.feel(), this.quiet());
  }

  async feel() {
    if (this.asking) return;
    this.asking = true;
    await this.ask();
    this.asking = false;
    this.again();
  }
}

/** Asks for a document of the API. It resolves to nothing if the server can't be reached. @param {string} path */
export async function askFor(path) {
  try {
    const answer = await fetch(at(path), { cache: "no-store", signal: AbortSignal.timeout(patience) });
    return answer.status < 500 ? answer : undefined;
  } catch {
    return undefined;
  }
}
