// @ts-check
// A wait in words, the same as package views makes in estimate.go; views/testdata/words.json tests both.

import { say } from "./language.js";
import { hours, soFar, usual } from "./words.js";

/**
 * A wait in seconds, as an 80 % range and a middle.
 * @typedef {{low: number, likely: number, high: number, basis: string}} Estimate
 */

/**
 * The run that is going, in seconds; usualHigh is null while it isn't known what runs take.
 * @typedef {{elapsed: number, usualLow: number|null, usualHigh: number|null}} Going
 */

/** @typedef {{headline: string, range: string, why: string}} Phrase */

const minute = 60;
const hour = 60 * minute;
const soon = 10;
const short = 45;
const wholeMinutes = 10 * minute;
const guessInTens = 115;

/** Whether the run takes longer than most. @param {Going} going */
export function overdue(going) {
  return going.usualHigh !== null && going.elapsed > Math.max(going.usualHigh, 1);
}

/**
 * A wait, of someone with so many people ahead.
 * @param {Estimate} e @param {number} ahead @param {Going} going @returns {Phrase}
 */
export function waitPhrase(e, ahead, going) {
  if (e.basis !== "prior" && e.basis !== "history") {
    return { headline: say("wait.none"), range: say("wait.none.range"), why: "" };
  }
  let why = "";
  if (overdue(going)) {
    const most = usual(going.usualLow ?? 0, going.usualHigh ?? 0);
    why = say("wait.overdue.why", { time: soFar(going.elapsed), usual: most });
    if (ahead <= 0 && e.likely < short) {
      return { headline: say("wait.overdue"), range: "", why: say("wait.overdue.next", { why }) };
    }
  }
  return { headline: headline(e, ahead), range: e.basis === "prior" ? say("wait.guess") : likelyRange(e), why };
}

/** @param {Estimate} e @param {number} ahead */
function headline(e, ahead) {
  if (ahead <= 0 && e.likely < soon) return say("wait.soon");
  if (e.likely < short) return say("wait.short");
  if (e.basis === "prior" && e.likely < guessInTens) {
    return say("wait.about", { time: say("length.seconds", { n: Math.trunc((e.likely + 5) / 10) * 10 }) });
  }
  return say("wait.about", { time: hours(nearest(e.likely)) });
}

/** @param {Estimate} e */
function likelyRange(e) {
  const low = roundDown(e.low);
  const high = roundUp(e.high);
  if (low === high || (e.likely < short && high <= minute)) return "";
  const inMinutes = e.likely >= short && nearest(e.likely) < hour && high < hour;
  if (low === 0) return inMinutes ? say("wait.upTo.minutes", { high: high / minute }) : say("wait.upTo", { time: hours(high) });
  if (inMinutes) return say("wait.between.minutes", { low: low / minute, high: high / minute });
  return say("wait.between", { low: hours(low), high: hours(high) });
}

/** @param {number} seconds */
function stepOf(seconds) {
  if (seconds <= wholeMinutes) return minute;
  return seconds <= hour ? 5 * minute : 15 * minute;
}

/** @param {number} seconds */
function nearest(seconds) {
  const step = stepOf(seconds);
  return Math.trunc((seconds + step / 2) / step) * step;
}

/** @param {number} seconds */
function roundDown(seconds) {
  const step = stepOf(seconds);
  return Math.trunc(Math.max(seconds, 0) / step) * step;
}

/** @param {number} seconds */
function roundUp(seconds) {
  const step = stepOf(seconds);
  return Math.ceil(Math.max(seconds, 0) / step) * step;
}
