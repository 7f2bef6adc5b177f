// @ts-check
// A wait that runs down between two messages, and says so when it went up.

import { say } from "./language.js";
import { inSentence } from "./words.js";
import { overdue, waitPhrase } from "./estimate.js";

/** A likely wait that is longer than expected by more than this went up. Seconds. */
const rise = 45;

/** For so long the page says that it went up, and why. */
const tellFor = 60_000;

export class Remaining {
  constructor() {
    /** @type {import("./estimate.js").Estimate} */
    this.base = { low: 0, likely: 0, high: 0, basis: "none" };
    /** @type {import("./estimate.js").Going} */
    this.run = { elapsed: 0, usualLow: null, usualHigh: null };
    this.running = false;
    this.ahead = 0;
    this.at = NaN;
    this.rose = "";
    this.roseAt = -Infinity;
  }

  /** Whether anything was heard yet. */
  known() {
    return !Number.isNaN(this.at);
  }

  /** Takes a standing. @param {any} view @param {number} ahead people before this one */
  set(view, ahead) {
    const before = this.known() ? { estimate: this.estimate(), words: this.phrase().headline } : undefined;
    const wait = view.wait;
    const line = view.line ?? {};
    this.base = { low: wait.low_seconds ?? 0, likely: wait.likely_seconds ?? 0, high: wait.high_seconds ?? 0, basis: wait.basis };
    this.run = {
      elapsed: line.run_elapsed_seconds ?? 0,
      usualLow: line.usual_low_seconds ?? null,
      usualHigh: line.usual_high_seconds ?? null,
    };
    this.running = (line.run_elapsed_seconds ?? null) !== null;
    this.ahead = ahead;
    this.at = performance.now();
    if (before === undefined || before.estimate.basis !== "history" || this.base.basis !== "history") return;
    const words = this.phrase().headline;
    if (this.base.likely > before.estimate.likely + rise && words !== before.words) {
      const from = { before: inSentence(before.words) };
      this.rose = overdue(this.run) ? say("wait.rose.overdue", from) : say("wait.rose.slower", from);
      this.roseAt = this.at;
    }
  }

  passed() {
    return Math.trunc((performance.now() - this.at) / 1_000);
  }

  /** The estimate as it is now. @returns {import("./estimate.js").Estimate} */
  estimate() {
    const less = (/** @type {number} */ seconds) => Math.max(0, seconds - this.passed());
    return { low: less(this.base.low), likely: less(this.base.likely), high: less(this.base.high), basis: this.base.basis };
  }

  /** The wait in words, as it is now. */
  phrase() {
    const elapsed = this.running ? this.run.elapsed + this.passed() : 0;
    return waitPhrase(this.estimate(), this.ahead, { ...this.run, elapsed });
  }

  /** Why the wait went up, for a while after it did. */
  risen() {
    return performance.now() - this.roseAt < tellFor ? this.rose : "";
  }
}
