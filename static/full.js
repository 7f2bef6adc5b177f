// @ts-check
// A line that takes no more: the page looks again, and says when there is room. Joining is left to its reader.

import { at } from "./address.js";
import { part, setOptional, setText, setTitle } from "./page.js";
import { Voice } from "./say.js";
import { enliven } from "./field.js";
import { of, people } from "./words.js";

const retry = Number(part("main").dataset.retrySeconds);
const voice = new Voice(part("said"));

/** Not everybody at the same moment. */
function pause() {
  return retry * (0.75 + Math.random() / 2);
}

function wait() {
  const seconds = pause();
  const words = of(Math.max(1, Math.round(seconds)), "second", "seconds");
  setOptional(part("again"), `We look again in about ${words} and say here when there is room.`);
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
      if (picture.length > 0) {
        const waiting = `${people(picture.length)} ${picture.length === 1 ? "is" : "are"} waiting`;
        setText(part("words"), `${waiting}, and this line takes no more. You have no ticket yet, and your query is kept below.`);
      }
    }
  } catch {
    // The server is away for a moment; the next look tells.
  }
  wait();
}

function room() {
  setText(part("title"), "There is room now");
  setText(part("words"), "Somebody has left the line. You have no ticket yet: press to join, before somebody else does.");
  setOptional(part("again"), "");
  setText(part("try"), "Join the line");
  setTitle("There is room now");
  voice.now("There is room in the line now. You can join.");
}

enliven();
wait();
