// @ts-check
// The waiting room.

import { at } from "./address.js";
import { keepIcon, part, setIcon, setOptional, setText, setTitle } from "./page.js";
import { Socket } from "./socket.js";
import { Voice } from "./say.js";
import { Remaining } from "./remaining.js";
import { arrive } from "./arrive.js";
import { claim } from "./claim.js";
import { keepDraft } from "./draft.js";
import { tickets } from "./tickets.js";
import { setTime, timeOfDay } from "./times.js";
import { ahead, count, people, placeIcon, waitTitle } from "./words.js";

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
  else if (moved) voice.place(() => `Your place in line: ${count(place)}. ${remaining.phrase().headline}.`);
}

/** It is this ticket's turn. @param {any} view */
async function called(view) {
  voice.now(auto.checked && hasQuery ? "It’s your turn. Your query is starting." : "It’s your turn.");
  if (auto.checked && hasQuery && view.runner !== "unavailable") {
    leaving = true;
    document.body.className = "turn";
    setTitle("Your turn: starting");
    setIcon("icon-turn.svg");
    setText(part("wait"), "Your query is starting");
    setOptional(part("range"), "");
    setOptional(part("why"), "");
    if (await claim(claimForm, number)) return;
  }
  go("/wait");
}

/** @param {{serving: number[], called: number[], next: number[]}} line */
function drawLine(line) {
  const list = part("tickets");
  const items = tickets(line.serving, line.called, line.next, number, place - 1).map((ticket) => {
    const item = document.createElement("li");
    if (ticket.number === 0) {
      item.className = "gap";
      item.textContent = `… ${count(ticket.more)} more`;
      return item;
    }
    item.className = { running: "ticket busy", mine: "ticket mine", called: "ticket", "": "ticket" }[ticket.kind];
    if (ticket.kind === "mine") item.setAttribute("aria-current", "true");
    const figure = document.createElement("b");
    figure.textContent = String(ticket.number);
    item.append(figure);
    const word = { running: " running", mine: " you", called: " called", "": "" }[ticket.kind];
    if (word !== "") item.append(word);
    return item;
  });
  list.replaceChildren(...items);
}

/** The words of a wait that isn't one because nobody is called; wait.go says the same. */
function stateWords() {
  switch (state) {
    case "paused":
      return {
        headline: "Paused",
        why: "The operator paused the line. Nobody is called until it goes on, and every place is kept.",
        spoken: "The line is paused. Your place is kept.",
      };
    case "unavailable":
      return {
        headline: "Not answering",
        why: "The runner is not answering. Nobody is called until it is back, and every place is kept.",
        spoken: "The runner is not answering. Your place is kept.",
      };
  }
  return { headline: "", why: "", spoken: `The line goes on. Your place in line: ${count(place)}.` };
}

/** Why a wait may be longer than it was; wait.go says the same. Most runs stop so soon that it isn't worth a word. */
function stoppingWhy() {
  if (stopping === undefined || performance.now() - stopping < blink) return "";
  return "The present run was told to stop. The next person is called as soon as it has really ended.";
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

function heard() {
  heardAt = new Date();
  clearTimeout(blinking);
  blinking = undefined;
  if (away) {
    away = false;
    restarting = false;
    document.body.className = "";
    setText(part("place-words"), "Your place in line");
    setText(part("line"), "The line now");
    part("offline").hidden = true;
    voice.now("Connected again.");
  }
  part("signal").classList.add("live");
  setText(part("signal-words"), "Live, updated at");
  setTime(time, heardAt);
}

/** @param {boolean} forRestart */
function gone(forRestart) {
  restarting ||= forRestart;
  if (leaving || away || blinking !== undefined) return;
  blinking = setTimeout(() => {
    away = true;
    document.body.className = "stale";
    part("signal").classList.remove("live");
    setText(part("place-words"), "Your last known place");
    setText(part("ahead"), place <= 1 ? "You were next" : `${people(place - 1)} ${place === 2 ? "was" : "were"} ahead of you`);
    setText(part("line"), `The line at ${timeOfDay(heardAt)}`);
    setTime(time, heardAt);
    setIcon("icon-off.svg");
    showAway();
    voice.now(navigator.onLine ? "Connection lost. Reconnecting." : "You are offline.");
  }, blink);
}

/** What can be said while there is no connection: until when the place is kept, and that after that we don't know. */
function showAway() {
  const until = new Date(heardAt.getTime() + heartbeat);
  const kept = Date.now() < until.getTime();
  let words = `Your place is kept until about ${timeOfDay(until)}. This page tries again by itself; you need do nothing.`;
  if (!kept) words = "A place is kept for a while only, so yours may have gone to the next person. Once you are back, this page shows what is true.";
  part("offline").hidden = navigator.onLine;
  setOptional(part("why"), "");
  if (!navigator.onLine) {
    setText(part("signal-words"), "Offline, last heard at");
    setText(part("wait"), "You are offline");
    setOptional(part("range"), words);
    setTitle("Offline");
  } else if (restarting) {
    setText(part("signal-words"), "Restarting, last heard at");
    setText(part("wait"), "Back in a moment");
    words = lasting ? "Your place is kept." : "Places are not kept, so you may have to join again.";
    setOptional(part("range"), `Confluence is restarting, and this page comes back by itself, most often within a minute. ${words}`);
    setTitle(`Restarting · ${count(place)}`);
  } else {
    setText(part("signal-words"), "Reconnecting, last heard at");
    setText(part("wait"), "Reconnecting");
    setOptional(part("range"), words);
    setTitle(`Reconnecting · ${count(place)}`);
  }
}

/** Keeps "start by itself" with the ticket. */
async function keepAuto() {
  const body = new URLSearchParams({ auto: auto.checked ? "on" : "off" });
  try {
    await fetch(at("/wait"), { method: "POST", body, redirect: "manual", keepalive: true });
  } catch {
    auto.checked = !auto.checked;
    voice.now("That could not be kept just now.");
  }
}

keepIcon("icon-off.svg");
part("start").hidden = !hasQuery;
auto.addEventListener("change", keepAuto);
part("retry").addEventListener("click", () => socket.retry());
setInterval(() => (away ? showAway() : showWait()), 1_000);
const socket = new Socket(at("/live"), { message, away: gone, over: () => leaving || go("/wait") });
