// @ts-check
// The words of numbers, the same as package views makes in words.go; views/testdata/words.json tests both.

/** A number with its thousands apart: "12,345". @param {number} n */
export function count(n) {
  return String(Math.trunc(n)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A number and the thing that is counted: "1 row", "12,345 rows". @param {number} n @param {string} one @param {string} many */
export function of(n, one, many) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** "1 person", "7 people". @param {number} n */
export function people(n) {
  return of(n, "person", "people");
}

/** How many people stand before a waiter. @param {number} n */
export function ahead(n) {
  return n <= 0 ? "You are next" : `${people(n)} ahead of you`;
}

/** A time that runs, in whole seconds: "0:48", "1:02:03". @param {number} seconds */
export function clock(seconds) {
  const whole = Math.max(0, Math.trunc(seconds));
  const [h, m, s] = [Math.trunc(whole / 3600), Math.trunc(whole / 60) % 60, whole % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/**
 * A length in two units, without the one that is nought.
 * @param {number} big @param {string} bigName @param {number} small @param {string} smallName
 */
export function span(big, bigName, small, smallName) {
  const parts = [];
  if (big > 0) parts.push(of(big, bigName, `${bigName}s`));
  if (small > 0 || big === 0) parts.push(of(small, smallName, `${smallName}s`));
  return parts.join(" ");
}

/** A time that is still growing, in whole units that have passed: "4 minutes". @param {number} seconds */
export function soFar(seconds) {
  const whole = Math.max(0, Math.trunc(seconds));
  if (whole < 60) return of(whole, "second", "seconds");
  if (whole < 3600) return of(Math.trunc(whole / 60), "minute", "minutes");
  return span(Math.trunc(whole / 3600), "hour", Math.trunc(whole / 60) % 60, "minute");
}

/** What most runs take, in seconds: "1 to 3 minutes". @param {number} low @param {number} high */
export function usual(low, high) {
  if (high <= 0) return "less than a second";
  if (high === 1) return "about a second";
  if (high < 90) return between(low, high, "seconds");
  if (high < 5400) return between(Math.trunc(low / 60), Math.ceil(high / 60), "minutes");
  return between(Math.trunc(low / 3600), Math.ceil(high / 3600), "hours");
}

/** @param {number} low @param {number} high @param {string} unit */
function between(low, high, unit) {
  if (low <= 0) return `up to ${count(high)} ${unit}`;
  if (low >= high) return `about ${count(high)} ${unit}`;
  return `${count(low)} to ${count(high)} ${unit}`;
}

/** A list of ticket numbers: "35, 36 and 3 more". @param {number[]} list */
export function numbers(list) {
  if (list.length <= 1) return list.join("");
  if (list.length === 2) return `${list[0]} and ${list[1]}`;
  if (list.length === 3) return `${list[0]}, ${list[1]} and ${list[2]}`;
  return `${list[0]}, ${list[1]} and ${count(list.length - 2)} more`;
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
  if (state === "paused") return `Paused · ${count(place)}`;
  if (state === "unavailable") return `Runner not answering · ${count(place)}`;
  return place <= 1 ? `Next · ${inSentence(headline)}` : `${count(place)} · ${inSentence(headline)}`;
}

/** The title of the turn. @param {number} secondsLeft */
export function turnTitle(secondsLeft) {
  return `Your turn: ${of(Math.max(0, secondsLeft), "second", "seconds")} left`;
}

/** The file of the tab's icon of a place in line. @param {number} place */
export function placeIcon(place) {
  return place < 1 || place > 9 ? "icon.svg" : `icon-${place}.svg`;
}
