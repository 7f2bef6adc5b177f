// @ts-check
// What a screen reader is told. The live region stands empty at load; nothing that ticks goes into it.

/** A place is told at most this often. */
const placeEvery = 30_000;

/** Speaks through one live region. */
export class Voice {
  /** @param {HTMLElement} region */
  constructor(region) {
    this.region = region;
    this.placeAt = -Infinity;
    /** @type {number|undefined} */
    this.timer = undefined;
  }

  /** A change of state, at once. It outdates a place that was still to be told. @param {string} words */
  now(words) {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.region.textContent = words;
  }

  /** A place: the latest one, when its time has come. @param {() => string} words asked for when they are told */
  place(words) {
    if (this.timer !== undefined) return;
    const wait = Math.max(0, this.placeAt + placeEvery - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.placeAt = performance.now();
      this.region.textContent = words();
    }, wait);
  }
}
