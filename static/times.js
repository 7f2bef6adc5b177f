// @ts-check
// Times of day in the reader's own zone.

import { digits } from "./language.js";

/** "14:32:07", or "14:32". @param {Date} date @param {boolean} [minute] without the seconds */
export function timeOfDay(date, minute = false) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return digits(minute ? clock : `${clock}:${two(date.getSeconds())}`);
}

/** Sets a time element. @param {HTMLTimeElement} element @param {Date} date */
export function setTime(element, date) {
  element.dateTime = date.toISOString();
  element.textContent = timeOfDay(date, element.dataset.zone === "minute");
}

/** Rewrites the times that the server wrote in its own zone. @param {ParentNode} root */
export function localTimes(root) {
  for (const element of root.querySelectorAll("time[data-zone]")) {
    if (!(element instanceof HTMLTimeElement)) continue;
    const date = new Date(element.dateTime);
    if (!Number.isNaN(date.getTime())) setTime(element, date);
  }
}
