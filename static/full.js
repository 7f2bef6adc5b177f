// @ts-check
// A line that takes no more: the page looks again, and says when there is room. Joining is left to its reader.

import { at } from "./address.js";
import { part, setOptional, setText, setTitle } from "./page.js";
import { Voice } from "./say.js";
import { enliven } from "./field.js";
import { say } from "./language.js";

const retry = Number(part("main").dataset.retrySeconds);
const voice = new Voice(part("said"));

/** Not everybody at the same moment. */
function pause() {
  return retry * (0.75 + Math.random() / 2);
}

function wait() {
  const seconds = pause();
  setOptional(part("again"), say("full.again", { n: Math.max(1, Math.round(seconds)) }));
  setTimeout(look, seconds * 1_000);
}

async function look() {
  try {
    const answer = await fetch(at("/api/v1/queue"), { cache: "no-store", signal: AbortSignal.timeout(10_000) });
    if (answer.ok) {
      const picture = await answer.json();
      if (!picture.full) {
        room();
        return;
      }
      if (picture.length > 0) setText(part("words"), say("full.waiting", { n: picture.length }));
    }
  } catch {
    // The server is away for a moment; the next look tells.
  }
  wait();
}

function room() {
  setText(part("title"), say("full.room"));
  setText(part("words"), say("full.room.words"));
  setOptional(part("again"), "");
  setText(part("try"), say("full.join"));
  setTitle(say("full.room"));
  voice.now(say("full.room.said"));
}

enliven();
wait();
