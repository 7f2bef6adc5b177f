// @ts-check
// The screen on the wall: live numbers, or none at all.

import { at } from "./address.js";
import { keepIcon, part, setIcon, setText, setTitle } from "./page.js";
import { Chime } from "./chime.js";
import { Socket } from "./socket.js";
import { waitPhrase } from "./estimate.js";
import { setTime, timeOfDay } from "./times.js";
import { say } from "./language.js";
import { numbers, soFar, usual } from "./words.js";

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
    const called = element("section", "called", figures(say("kiosk.turn"), picture.called, "ticket"));
    called.setAttribute("aria-label", say("kiosk.called"));
    called.append(element("p", "", say("kiosk.turn.words", { time: windowWords })));
    sections.push(called);
  }
  if (picture.called.length === 0 || (picture.serving.length > 0 && picture.slots > 1)) {
    const running = element("section", "", figures(runningHeading(), picture.serving), element("p", "running", runningWords()));
    running.setAttribute("aria-label", say("kiosk.running"));
    sections.push(running);
  }
  now.replaceChildren(...sections);
  part("next").hidden = picture.length === 0;
  setText(part("length"), say("kiosk.inLine", { n: picture.length }));
  part("tickets").replaceChildren(
    ...picture.next.map((/** @type {number} */ n) => element("li", "ticket", element("b", "", String(n)))),
  );
  setText(part("notice-text"), picture.notice ?? "");
  part("notice").hidden = !picture.notice;
  setTitle(title());
  drawJoin();
}

function title() {
  if (picture.called.length > 0) return say("kiosk.title.called", { numbers: numbers(picture.called) });
  if (picture.serving.length > 0) return say("kiosk.title.running", { numbers: numbers(picture.serving) });
  return say("kiosk.title.nobody");
}

function runningHeading() {
  if (picture.serving.length > 0) return picture.runner === "stopping" ? say("kiosk.stopping") : say("kiosk.now");
  if (picture.runner === "unavailable") return say("kiosk.unavailable");
  return picture.paused ? say("kiosk.paused") : say("kiosk.free");
}

function runningWords() {
  if (picture.runner === "unavailable") return say("kiosk.unavailable.words");
  if (picture.paused) return say("kiosk.paused.words");
  if (picture.serving.length > 0) {
    if (picture.runner === "stopping") return say("kiosk.stopping.words");
    if (picture.serving.length > 1) return "";
    const { elapsed, usualLow, usualHigh } = going();
    if (usualHigh === null) return say("kiosk.now.words", { time: soFar(elapsed) });
    return say("kiosk.now.usual", { time: soFar(elapsed), usual: usual(usualLow ?? 0, usualHigh) });
  }
  return picture.length > 0 ? say("kiosk.free.next") : say("kiosk.free.words");
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
  let heading = say("join");
  if (picture.full) {
    words = say("kiosk.full");
  } else if (picture.runner === "unavailable") {
    words = say("join.unknown");
  } else if (picture.paused) {
    words = say("join.paused");
  } else if (picture.free) {
    words = say("join.free");
    heading = say("join.ask");
  } else {
    const less = (/** @type {number|null} */ seconds) => Math.max(0, (seconds ?? 0) - passed());
    const { low_seconds, likely_seconds, high_seconds, basis } = picture.wait;
    const estimate = { low: less(low_seconds), likely: less(likely_seconds), high: less(high_seconds), basis };
    const phrase = waitPhrase(estimate, picture.called.length + picture.length, going());
    [words, range] = [phrase.headline, phrase.range];
  }
  setText(part("join"), heading);
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
  const [before, after] = say("kiosk.offline").split("{time}");
  const section = element("section", "", element("h1", "word", before, since, after));
  section.append(element("p", "", say("kiosk.offline.words")));
  now.replaceChildren(section);
  part("next").hidden = true;
  part("notice").hidden = true;
  part("tickets").replaceChildren();
  setText(part("join"), say("kiosk.offline.join"));
  setText(part("join-words"), say("kiosk.offline.look"));
  setText(part("join-range"), "");
  setIcon("icon-off.svg");
  setTitle(say("kiosk.offline", { time: timeOfDay(new Date(), true) }));
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
