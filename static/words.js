// @ts-check
// The words of numbers, the same as packages views and i18n make; views/testdata/words.json tests both.

import { digits, say } from "./language.js";

/** How many people stand before a waiter. @param {number} n */
export function ahead(n) {
  return n <= 0 ? say("wait.next") : say("wait.ahead", { n });
}

/** A time that runs, in whole seconds: "0:48", "1:02:03". @param {number} seconds */
export function clock(seconds) {
  const whole = Math.max(0, Math.trunc(seconds));
  const [h, m, s] = [Math.trunc(whole / 3600), Math.trunc(whole / 60) % 60, whole % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return digits(h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`);
}

/** A length of whole minutes, given in seconds, in hours and minutes, without the one that is nought. @param {number} seconds */
export function hours(seconds) {
  const whole = Math.trunc(seconds / 3600);
  const rest = Math.trunc(seconds / 60) % 60;
  if (whole === 0) return say("length.minutes", { n: rest });
  if (rest === 0) return say("length.hours", { n: whole });
  return say("length.both", { big: say("length.hours", { n: whole }), small: say("length.minutes", { n: rest }) });
}

/** A time that is still growing, in whole units that have passed: "4 minutes". @param {number} seconds */
export function soFar(seconds) {
  const whole = Math.max(0, Math.trunc(seconds));
  if (whole < 60) return say("length.seconds", { n: whole });
  if (whole < 3600) return say("length.minutes", { n: Math.trunc(whole / 60) });
  return hours(whole);
}

/** What most runs take, in seconds: "1 to 3 minutes". @param {number} low @param {number} high */
export function usual(low, high) {
  if (high <= 0) return say("usual.instant");
  if (high === 1) return say("usual.second");
  if (high < 90) {
    if (low <= 0) return say("usual.seconds.upTo", { n: high });
    if (low >= high) return say("usual.seconds.about", { n: high });
    return say("usual.seconds.between", { low, n: high });
  }
  if (high < 5400) {
    const [from, n] = [Math.trunc(low / 60), Math.ceil(high / 60)];
    if (from <= 0) return say("usual.minutes.upTo", { n });
    if (from >= n) return say("usual.minutes.about", { n });
    return say("usual.minutes.between", { low: from, n });
  }
  const [from, n] = [Math.trunc(low / 3600), Math.ceil(high / 3600)];
  if (from <= 0) return say("usual.hours.upTo", { n });
  if (from >= n) return say("usual.hours.about", { n });
  return say("usual.hours.between", { low: from, n });
}

/** A list of ticket numbers: "35, 36 and 3 more". @param {number[]} list */
export function numbers(list) {
  const [a, b, c] = list.map(String);
  if (list.length <= 1) return list.join("");
  if (list.length === 2) return say("numbers.two", { a, b });
  if (list.length === 3) return say("numbers.three", { a, b, c });
  return say("numbers.more", { a, b, n: list.length - 2 });
}

/** Lower first letter, for a headline inside a sentence. @param {string} headline */
export function inSentence(headline) {
  return headline.slice(0, 1).toLowerCase() + headline.slice(1);
}

/**
 * The title of a waiting room.
 * @param {"live"|"paused"|"unavailable"} state @param {number} place @param {string} headline of the wait
 */
export function waitTitle(state, place, headline) {
  if (state === "paused") return say("wait.title.paused", { place });
  if (state === "unavailable") return say("wait.title.unavailable", { place });
  if (place <= 1) return say("wait.title.next", { wait: inSentence(headline) });
  return say("wait.title.place", { place, wait: inSentence(headline) });
}

/** The title of the turn. @param {number} secondsLeft */
export function turnTitle(secondsLeft) {
  return say("turn.title", { n: Math.max(0, secondsLeft) });
}

/** The file of the tab's icon of a place in line. @param {number} place */
export function placeIcon(place) {
  return place < 1 || place > 9 ? "icon.svg" : `icon-${place}.svg`;
}
