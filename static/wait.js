// @ts-check
// The waiting room.

import { at } from "./address.js";
import { keepIcon, part, setIcon, setOptional, setText, setTitle } from "./page.js";
import { Socket } from "./socket.js";
import { Voice } from "./say.js";
import { Alerts } from "./alerts.js";
import { askFor, Pulse, quietFor } from "./pulse.js";
import { Remaining } from "./remaining.js";
import { arrive } from "./arrive.js";
import { claim } from "./claim.js";
import { keepDraft } from "./draft.js";
import { tickets } from "./tickets.js";
import { setTime, timeOfDay } from "./times.js";
import { count, say } from "./language.js";
import { ahead, placeIcon, waitTitle } from "./words.js";

/** Up to this place each change is told at once. */
const toldAtOnce = 20;

/** A connection that is back within this time was never away for the reader. */
const blink = 1_500;

const main = part("main");
const heartbeat = Number(main.dataset.heartbeatMillis);
const number = Number(main.dataset.number);
const joinedAt = Number(main.dataset.joinedAt);
const lasting = main.dataset.lasting !== undefined;
const hasQuery = main.dataset.hasQuery !== undefined;
const auto = /** @type {HTMLInputElement} */ (part("auto"));
const claimForm = /** @type {HTMLFormElement} */ (part("claim"));
const way = /** @type {HTMLProgressElement} */ (part("way"));
const time = /** @type {HTMLTimeElement} */ (document.querySelector("#signal time"));
const voice = new Voice(part("said"));
const alerts = new Alerts(voice);
const remaining = new Remaining();

/** What the page shows now. */
let place = Number(main.dataset.place);
let state = /** @type {"live"|"paused"|"unavailable"} */ (main.dataset.state);
/** Since when the present run has been stopping; undefined: it isn't. */
let /** @type {number|undefined} */ stopping = main.dataset.stopping === undefined ? undefined : performance.now() - blink;
let heardAt = new Date();
let away = false;
let restarting = false;
let leaving = false;
/** @type {number|undefined} */
let blinking;

/** @param {string} address */
function go(address) {
  leaving = true;
  socket.stop();
  arrive(at(address));
}

/** @param {any} message */
function message(message) {
  if (leaving) return;
  switch (message.type) {
    case "standing":
      heard();
      standing(message);
      break;
    case "alive": // far back the place may have changed since: it is still of when it was told
      if (place <= toldAtOnce) heard();
      else pulse.heard();
      break;
    case "finished":
      go(`/runs/${encodeURIComponent(message.run_id)}`);
      break;
    case "none":
      if (message.reason === "finished") {
        go(`/runs/${encodeURIComponent(message.run_id)}`);
        break;
      }
      if (message.reason !== "none") {
        go("/wait");
        break;
      }
      // The server knows nothing of this ticket: it was restarted.
      keepDraft({ text: document.querySelector("pre.kept")?.textContent ?? "", forgotten: true });
      go("/wait");
      break;
    default:
      go("/wait"); // left, or lost: the page there says which
  }
}

/** @param {any} view */
function standing(view) {
  if (view.status === "running") {
    go(`/runs/${encodeURIComponent(view.run_id)}`);
    return;
  }
  if (view.status === "ready") {
    called(view);
    return;
  }
  if (view.number !== number) {
    go("/wait"); // another ticket, that was joined for in another tab
    return;
  }
  const before = state;
  const moved = view.position !== place;
  place = view.position;
  state = view.runner === "unavailable" ? "unavailable" : view.paused ? "paused" : "live";
  remaining.set(view, place - 1);
  setText(part("figure"), count(place));
  part("figure").className = place > 999 ? "figure long" : "figure";
  setText(part("ahead"), ahead(place - 1));
  way.value = Math.max(way.value, joinedAt - place); // a place never rises, and neither does the water
  if (view.line) {
    drawLine(view.line);
    stopping = view.line.stopping ? (stopping ?? performance.now()) : undefined;
  }
  setText(part("notice-text"), view.notice ?? "");
  part("notice").hidden = !view.notice;
  setIcon(placeIcon(place));
  showWait();
  if (state !== before) voice.now(stateWords().spoken);
  else if (moved) voice.place(() => say("wait.place.said", { place, wait: remaining.phrase().headline }));
}

/** It is this ticket's turn. @param {any} view */
async function called(view) {
  const starts = auto.checked && hasQuery && view.runner !== "unavailable";
  const words = starts ? say("wait.starting.said") : say("wait.called.said");
  if (starts) voice.now(words); // else the page of the turn says it, once
  const heard = alerts.call(words);
  if (starts) {
    leaving = true;
    document.body.className = "turn";
    setTitle(say("wait.starting.title"));
    setIcon("icon-turn.svg");
    setText(part("wait"), say("wait.starting"));
    setOptional(part("range"), "");
    setOptional(part("why"), "");
    if (await claim(claimForm, number, heard)) return;
  }
  leaving = true;
  setTitle(say("turn"));
  setIcon("icon-turn.svg");
  await heard;
  go("/wait");
}

/** @param {{serving: number[], called: number[], next: number[]}} line */
function drawLine(line) {
  const list = part("tickets");
  const items = tickets(line.serving, line.called, line.next, number, place - 1).map((ticket) => {
    const item = document.createElement("li");
    if (ticket.number === 0) {
      item.className = "gap";
      item.textContent = say("wait.gap", { n: ticket.more });
      return item;
    }
    item.className = { running: "ticket busy", mine: "ticket mine", called: "ticket", "": "ticket" }[ticket.kind];
    if (ticket.kind === "mine") item.setAttribute("aria-current", "true");
    const figure = document.createElement("b");
    figure.textContent = String(ticket.number);
    item.append(figure);
    if (ticket.kind === "running") item.append(" ", say("wait.ticket.running"));
    if (ticket.kind === "called") item.append(" ", say("wait.ticket.called"));
    if (ticket.kind === "mine") item.append(" ", say("wait.ticket.mine"));
    return item;
  });
  list.replaceChildren(...items);
}

/** The words of a wait that isn't one because nobody is called; wait.go says the same. */
function stateWords() {
  switch (state) {
    case "paused":
      return {
        headline: say("wait.paused"),
        why: say("wait.paused.why"),
        spoken: say("wait.paused.said"),
      };
    case "unavailable":
      return {
        headline: say("wait.unavailable"),
        why: say("wait.unavailable.why"),
        spoken: say("wait.unavailable.said"),
      };
  }
  return { headline: "", why: "", spoken: say("wait.goesOn.said", { place }) };
}

/** Why a wait may be longer than it was; wait.go says the same. Most runs stop so soon that it isn't worth a word. */
function stoppingWhy() {
  if (stopping === undefined || performance.now() - stopping < blink) return "";
  return say("wait.stopping.why");
}

/** Shows the wait as it is now; it runs down by itself. */
function showWait() {
  if (away || leaving) return;
  if (!remaining.known()) return; // the server's words stand until the first message
  const phrase = state === "live" ? remaining.phrase() : { range: "", ...stateWords() };
  setText(part("wait"), phrase.headline);
  setOptional(part("range"), phrase.range);
  setOptional(part("why"), state === "live" ? stoppingWhy() || remaining.risen() || phrase.why : phrase.why);
  setTitle(waitTitle(state, place, phrase.headline));
}

/** The server was heard of, by the socket or over HTTP. */
function heard() {
  pulse.heard();
  heardAt = new Date();
  clearTimeout(blinking);
  blinking = undefined;
  if (away) {
    away = false;
    restarting = false;
    document.body.className = "";
    setText(part("place-words"), say("wait.place"));
    setText(part("line"), say("wait.line"));
    part("offline").hidden = true;
    voice.now(say("wait.connected.said"));
  }
  part("signal").classList.toggle("live", socket.connected());
  setText(part("signal-words"), socket.connected() ? say("wait.live") : say("wait.updated"));
  setTime(time, heardAt);
}

/** Nothing has come for a while, or there is no socket. Over HTTP the truth can be had all the same, and asking keeps the place. */
async function ask() {
  if (leaving) return;
  const answer = await askFor("/api/v1/queue/status");
  if (leaving) return;
  if (answer === undefined) {
    if (socket.connected()) socket.drop(false);
    if (!away) stale();
  } else if (answer.status === 404) {
    if (socket.connected()) socket.renew(); // it tells why
    else go("/wait");
  } else if (answer.ok) {
    const view = await answer.json();
    const missed = view.status !== "queued" || (view.position !== place && place <= toldAtOnce);
    if (missed && socket.connected()) {
      socket.renew();
      return;
    }
    heard();
    if (!socket.connected()) standing(view);
  } else if (!socket.connected() && !away) {
    stale();
  }
}

/** @param {boolean} forRestart */
function gone(forRestart) {
  restarting ||= forRestart;
  if (leaving || away || blinking !== undefined) return;
  blinking = setTimeout(() => (restarting || !navigator.onLine ? stale() : ask()), blink);
}

/** There is no connection: what the page shows is old. */
function stale() {
  clearTimeout(blinking);
  blinking = undefined;
  away = true;
  document.body.className = "stale";
  part("signal").classList.remove("live");
  setText(part("place-words"), say("wait.lastPlace"));
  setText(part("ahead"), place <= 1 ? say("wait.wereNext") : say("wait.wereAhead", { n: place - 1 }));
  setText(part("line"), say("wait.line.at", { time: timeOfDay(heardAt) }));
  setTime(time, heardAt);
  setIcon("icon-off.svg");
  showAway();
  voice.now(navigator.onLine ? say("wait.lost.said") : say("wait.offline.said"));
}

/** What can be said while there is no connection: until when the place is kept, and that after that we don't know. */
function showAway() {
  const until = new Date(heardAt.getTime() + heartbeat);
  const kept = Date.now() < until.getTime();
  let words = say("wait.keptUntil", { time: timeOfDay(until) });
  if (!kept) words = say("wait.perhapsGone");
  part("offline").hidden = navigator.onLine;
  setOptional(part("why"), "");
  if (!navigator.onLine) {
    setText(part("signal-words"), say("wait.offline.signal"));
    setText(part("wait"), say("wait.offline"));
    setOptional(part("range"), words);
    setTitle(say("wait.offline.title"));
  } else if (restarting) {
    setText(part("signal-words"), say("wait.restarting.signal"));
    setText(part("wait"), say("wait.restarting"));
    setOptional(part("range"), lasting ? say("wait.restarting.kept") : say("wait.restarting.words"));
    setTitle(say("wait.restarting.title", { place }));
  } else {
    setText(part("signal-words"), say("wait.reconnecting.signal"));
    setText(part("wait"), say("wait.reconnecting"));
    setOptional(part("range"), words);
    setTitle(say("wait.reconnecting.title", { place }));
  }
}

/** Keeps "start by itself" with the ticket. */
async function keepAuto() {
  const body = new URLSearchParams({ auto: auto.checked ? "on" : "off" });
  try {
    await fetch(at("/wait"), { method: "POST", body, redirect: "manual", keepalive: true });
  } catch {
    auto.checked = !auto.checked;
    voice.now(say("wait.start.failed"));
  }
}

keepIcon("icon-off.svg");
part("start").hidden = !hasQuery;
auto.addEventListener("change", keepAuto);
part("retry").addEventListener("click", () => socket.retry());
setInterval(() => (away ? showAway() : showWait()), 1_000);
const pulse = new Pulse(() => quietFor(heartbeat), ask);
const socket = new Socket(at("/live?pulse=1"), { message, away: gone, over: () => leaving || go("/wait") });
