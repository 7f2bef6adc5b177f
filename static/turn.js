// @ts-check
// The turn: a countdown to the deadline, and the claim.

import { at } from "./address.js";
import { part, setText, setTitle } from "./page.js";
import { Socket } from "./socket.js";
import { Voice } from "./say.js";
import { arrive } from "./arrive.js";
import { claim } from "./claim.js";
import { keepDraft } from "./draft.js";
import { notify } from "./alerts.js";
import { enliven, queryField } from "./field.js";
import { askFor, Pulse } from "./pulse.js";
import { setTime } from "./times.js";
import { say } from "./language.js";
import { clock, turnTitle } from "./words.js";

/** When the time that is left is spoken. Seconds. */
const spoken = [60, 30, 10];

/** After the deadline the server may take a moment to say so. */
const grace = 1_500;

/** A page that heard nothing for so long asks. */
const quiet = 5_000;

/** A claim that has not moved the page after so long is left to the reader. */
const patience = 5_000;

const main = part("main");
const unavailable = main.dataset.unavailable !== undefined;
const number = Number(main.dataset.number);
const voice = new Voice(part("said"));
const time = /** @type {HTMLTimeElement} */ (document.querySelector("#signal time"));

let deadline = performance.now() + Number(main.dataset.secondsLeft) * 1_000;
let toSpeak = spoken.filter((seconds) => seconds < Number(main.dataset.secondsLeft));
let leaving = false;

/** @param {string} address @param {boolean} [forgotten] the server knows nothing of this ticket */
function go(address, forgotten = false) {
  if (leaving) return;
  leaving = true;
  socket.stop();
  if (unavailable) {
    if (forgotten) keepDraft({ text: document.querySelector("pre.kept")?.textContent ?? "", forgotten });
  } else if (address === "/wait") {
    const field = queryField();
    if (forgotten || field.value !== field.defaultValue) keepDraft({ text: field.value, forgotten });
  }
  arrive(at(address), away);
}

/** @param {any} message */
function message(message) {
  pulse.heard();
  heard();
  if (message.type === "finished" || message.reason === "finished" || message.status === "running") {
    go(`/runs/${encodeURIComponent(message.run_id)}`);
  } else if (message.type !== "standing" || message.status !== "ready" || message.number !== number) {
    go("/wait", message.type === "none" && message.reason === "none");
  } else if ((message.runner === "unavailable") !== unavailable) {
    go("/wait");
  } else {
    deadline = performance.now() + message.reservation_expires_in_seconds * 1_000;
  }
}

/** Nothing has come for a while: is it quiet, or is the connection dead? */
async function ask() {
  const answer = await askFor("/api/v1/queue/status");
  if (leaving) return;
  if (answer === undefined) socket.drop(false);
  else if (answer.status === 404 || (answer.ok && (await answer.json()).status !== "ready")) socket.renew();
  else heard();
}

function heard() {
  part("signal").classList.add("live");
  setText(part("signal-words"), say("wait.live"));
  setTime(time, new Date());
}

function away() {
  part("signal").classList.remove("live");
  setText(part("signal-words"), say("wait.reconnecting.signal"));
}

function tick() {
  const left = Math.max(0, Math.ceil((deadline - performance.now()) / 1_000));
  setText(part("left"), clock(left));
  const way = /** @type {HTMLProgressElement} */ (part("way"));
  way.value = Math.min(left, way.max);
  setTitle(part("starting").hidden ? turnTitle(left) : say("wait.starting.title"));
  while (toSpeak.length > 0 && left <= toSpeak[0]) {
    const seconds = toSpeak.shift();
    if (left === seconds) voice.now(say("turn.left.said", { n: left }));
  }
  if (performance.now() > deadline + grace) go("/wait");
}

/** Sends the claim at once. Whatever becomes of it, the button is there. */
async function startByItself() {
  const starting = part("starting");
  starting.hidden = false;
  part("countdown").hidden = true;
  voice.now(say("wait.starting.said"));
  const manual = setTimeout(giveBack, patience);
  if (await claim(/** @type {HTMLFormElement} */ (part("claim")), number)) return;
  clearTimeout(manual);
  giveBack();
}

function giveBack() {
  part("starting").hidden = true;
  part("countdown").hidden = false;
}

const pulse = new Pulse(() => quiet, ask);
if (!unavailable) notify(say("wait.called.said"));
const socket = new Socket(at("/live"), { message, away, over: () => go("/wait") });
if (!unavailable) {
  enliven();
  tick();
  setInterval(tick, 250);
  if (main.dataset.auto !== undefined) {
    startByItself();
  } else {
    voice.now(say("turn.said", { n: Number(main.dataset.secondsLeft) }));
  }
  if (document.getElementById("fault") === null) part("run").focus();
}
