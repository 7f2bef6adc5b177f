// @ts-check
// The screen on the wall: live numbers, or none at all.

import { at } from "./address.js";
import { keepIcon, part, setIcon, setText, setTitle } from "./page.js";
import { Chime } from "./chime.js";
import { Socket } from "./socket.js";
import { waitPhrase } from "./estimate.js";
import { setTime, timeOfDay } from "./times.js";
import { count, numbers, soFar, usual } from "./words.js";

/** The server speaks every 15 seconds at least. A screen that hears nothing for longer than this shows no numbers. */
const silence = 35_000;

/** So often the picture moves a little, against burn-in. */
const shiftEvery = 5 * 60_000;

const body = document.body;
const now = part("now");
const time = /** @type {HTMLTimeElement} */ (document.querySelector("#clock time"));
const windowWords = body.dataset.window ?? "";

/** The sound of a call, if the address asks for it. */
const chime = body.dataset.chime === undefined ? undefined : new Chime();

/** The last picture, and when it came; undefined: none is true now. */
let /** @type {any} */ picture = undefined;
let pictureAt = 0;
let offline = false;

/** @param {string} name @param {string} [className] @param {...(Node|string)} children */
function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** @param {any} message */
function message(message) {
  if (message.type !== "queue") return;
  if (message.build && message.build !== body.dataset.build) {
    location.reload();
    return;
  }
  if (picture !== undefined && message.called.some((/** @type {number} */ n) => !picture.called.includes(n))) chime?.ring();
  picture = message;
  pictureAt = performance.now();
  if (offline) {
    offline = false;
    body.classList.remove("stale");
    setIcon("icon.svg");
  }
  draw();
}

/** Large figures under a heading. @param {string} heading @param {number[]} list @param {string} [className] of each figure */
function figures(heading, list, className = "") {
  const size = list.length > 1 ? "figure several" : list[0] > 9999 ? "figure long" : "figure";
  const row = element("span", "figures", ...list.map((n) => element("span", `${size} ${className}`.trim(), String(n))));
  return element("h1", list.length > 0 ? "" : "word", `${heading} `, ...(list.length > 0 ? [row] : []));
}

function draw() {
  const sections = [];
  if (picture.called.length > 0) {
    const called = element("section", "called", figures("Your turn", picture.called, "ticket"));
    called.setAttribute("aria-label", "Called");
    called.append(element("p", "", `Go to your own page: you have ${windowWords}`));
    sections.push(called);
  }
  if (picture.called.length === 0 || (picture.serving.length > 0 && picture.slots > 1)) {
    const running = element("section", "", figures(runningHeading(), picture.serving), element("p", "running", runningWords()));
    running.setAttribute("aria-label", "Running");
    sections.push(running);
  }
  now.replaceChildren(...sections);
  part("next").hidden = picture.length === 0;
  setText(part("length"), `${count(picture.length)} in line`);
  part("tickets").replaceChildren(
    ...picture.next.map((/** @type {number} */ n) => element("li", "ticket", element("b", "", String(n)))),
  );
  setText(part("notice-text"), picture.notice ?? "");
  part("notice").hidden = !picture.notice;
  setTitle(title());
  drawJoin();
}

function title() {
  if (picture.called.length > 0) return `Your turn ${numbers(picture.called)}`;
  if (picture.serving.length > 0) return `Now running ${numbers(picture.serving)}`;
  return "Nobody is running";
}

function runningHeading() {
  if (picture.serving.length > 0) return picture.runner === "stopping" ? "Stopping" : "Now running";
  if (picture.runner === "unavailable") return "Not answering";
  return picture.paused ? "Paused" : "Free";
}

function runningWords() {
  if (picture.runner === "unavailable") return "The runner is not answering. Every place is kept.";
  if (picture.paused) return "Nobody is called until the line goes on. Every place is kept.";
  if (picture.serving.length > 0) {
    if (picture.runner === "stopping") return "The next person is called as soon as it has ended.";
    if (picture.serving.length > 1) return "";
    const { elapsed, usualLow, usualHigh } = going();
    return `for ${soFar(elapsed)}${usualHigh === null ? "" : `; most take ${usual(usualLow ?? 0, usualHigh)}`}`;
  }
  return picture.length > 0 ? "The next person is called in a moment." : "Nobody is waiting: ask, and your query starts at once.";
}

/** Whole seconds since the picture came. */
function passed() {
  return Math.trunc((performance.now() - pictureAt) / 1_000);
}

function going() {
  return {
    elapsed: picture.serving.length > 0 ? picture.run_elapsed_seconds + passed() : 0,
    usualLow: picture.usual_low_seconds,
    usualHigh: picture.usual_high_seconds,
  };
}

function drawJoin() {
  let words = "";
  let range = "";
  if (picture.full) {
    words = "The line is full";
  } else if (picture.runner === "unavailable") {
    words = "Not known";
  } else if (picture.paused) {
    words = "Paused";
  } else if (picture.free) {
    words = "Starts at once";
  } else {
    const less = (/** @type {number|null} */ seconds) => Math.max(0, (seconds ?? 0) - passed());
    const { low_seconds, likely_seconds, high_seconds, basis } = picture.wait;
    const estimate = { low: less(low_seconds), likely: less(likely_seconds), high: less(high_seconds), basis };
    const phrase = waitPhrase(estimate, picture.called.length + picture.length, going());
    [words, range] = [phrase.headline, phrase.range];
  }
  const free = words === "Starts at once";
  setText(part("join"), free ? "If you ask now" : "If you join now");
  setText(part("join-words"), words);
  setText(part("join-range"), range);
}

/** No connection: no numbers, and since when. */
function away() {
  if (offline) return;
  offline = true;
  picture = undefined;
  body.classList.add("stale");
  const since = document.createElement("time");
  since.dataset.zone = "minute";
  setTime(since, new Date());
  const section = element("section", "", element("h1", "word", "Offline since ", since));
  section.append(element("p", "", "This screen has lost its connection, so it shows no numbers. They come back by themselves."));
  now.replaceChildren(section);
  part("next").hidden = true;
  part("notice").hidden = true;
  part("tickets").replaceChildren();
  setText(part("join"), "In line already?");
  setText(part("join-words"), "Look at your own page");
  setText(part("join-range"), "");
  setIcon("icon-off.svg");
  setTitle(`Offline since ${timeOfDay(new Date(), true)}`);
}

function tick() {
  setTime(time, new Date());
  if (picture === undefined) return;
  const words = now.querySelector(".running");
  if (words instanceof HTMLElement) setText(words, runningWords());
  drawJoin();
}

/** A browser that wants a press before it plays a sound is given a button, for as long as it wants one. */
function offerChime() {
  const button = part("chime");
  const offer = () => (button.hidden = chime?.ready() ?? true);
  chime?.onchange(offer);
  button.addEventListener("click", () => chime?.wake());
  offer();
}

keepIcon("icon-off.svg");
offerChime();
setInterval(tick, 1_000);
setInterval(() => (body.dataset.shift = body.dataset.shift === "1" ? "0" : "1"), shiftEvery);
tick();
new Socket(at("/live/kiosk"), { message, away, over: away }, silence);
