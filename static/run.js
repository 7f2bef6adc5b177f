// @ts-check
// A run that is going: its output as it comes, and the time that passes.

import { at } from "./address.js";
import { part, setOptional, setText, setTitle } from "./page.js";
import { arrive } from "./arrive.js";
import { Voice } from "./say.js";
import { askFor, Pulse } from "./pulse.js";
import { Output } from "./output.js";
import { say } from "./language.js";
import { clock } from "./words.js";

/** A stream that is back within this time was never away for the reader. */
const blink = 1_500;

/** How soon a stream that the server refused is tried again, and the longest pause. */
const first = 2_000;
const longest = 15_000;

const main = part("main");
const path = `/api/v1/runs/${encodeURIComponent(main.dataset.run ?? "")}`;
const address = at(path);
const started = performance.now() - Number(main.dataset.elapsed) * 1_000;
const voice = new Voice(part("said"));
const output = new Output();

/** A stream that brings nothing for so long may be dead. */
const quiet = 10_000;

/** @type {EventSource} */
let stream;
/** The number of the last piece that is on the page: a stream that begins anew is read from there on. */
let seen = 0;
/** This stream has brought something. */
let begun = false;
let pause = first;
/** @type {number|undefined} */
let blinking;

function follow() {
  stream = new EventSource(`${address}/output`);
  begun = false;
  stream.onopen = () => {
    pulse.heard();
    pause = first;
    clearTimeout(blinking);
    blinking = undefined;
    if (!part("signal").hidden) voice.now(say("run.said"));
    setOptional(part("signal"), "");
  };
  stream.addEventListener("output", (event) => {
    pulse.heard();
    const piece = Number(event.lastEventId);
    if (event.lastEventId === "" || Number.isNaN(piece)) {
      if (!begun) output.clear(); // pieces without a number: a new stream tells all from the start
    } else if (piece <= seen) {
      return;
    } else {
      seen = piece;
    }
    begun = true;
    output.add(JSON.parse(event.data));
  });
  stream.addEventListener("end", () => {
    stream.close();
    clearInterval(ticking);
    arrive(location.pathname, () => setOptional(part("signal"), say("run.ended")));
  });
  stream.onerror = () => {
    lost();
    if (stream.readyState === EventSource.CLOSED) again();
  };
}

/** Nothing has come for a while: is the run quiet, or the stream dead? */
async function ask() {
  if (stream.readyState === EventSource.CLOSED) return; // it is being seen to
  const answer = await askFor(path);
  if (answer === undefined) {
    stream.close();
    lost();
    again();
  } else if (answer.status === 404 || (answer.ok && (await answer.json()).state === "ended")) {
    stream.close();
    arrive(location.pathname);
  }
}

function lost() {
  begun = false;
  blinking ??= setTimeout(() => {
    setOptional(part("signal"), say("run.reconnecting"));
    voice.now(say("run.reconnecting.said"));
  }, blink);
}

/** A stream that broke is begun anew as soon as the server answers: then it can't be stuck either. */
function again() {
  setTimeout(async () => {
    pause = Math.min(pause * 2, longest);
    const answer = await askFor(path);
    if (answer === undefined) again();
    else if (answer.status === 404) arrive(location.pathname);
    else follow();
  }, pause * (0.5 + Math.random() / 2));
}

function tick() {
  const elapsed = Math.trunc((performance.now() - started) / 1_000);
  setText(part("elapsed"), clock(elapsed));
  setTitle(say("run.title", { time: clock(elapsed) }));
}

window.addEventListener("online", () => {
  stream.close();
  follow();
});
// A page that was left, though the browser may keep it for the way back, doesn't watch the run.
window.addEventListener("pagehide", () => stream.close());
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
const pulse = new Pulse(() => quiet, ask);
const ticking = setInterval(tick, 500);
tick();
follow();
voice.now(say("run.said"));
