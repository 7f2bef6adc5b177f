// @ts-check
// The operator's desk keeps itself up to date: it asks for itself now and then, and puts the parts that have changed in the place of the old
// ones. What is being written, and where the focus is, stays.

import { at } from "./address.js";
import { keepIcon, part, setIcon, setText } from "./page.js";
import { say } from "./language.js";
import { localTimes } from "./times.js";

/** Between an answer and the next question. */
const pause = 3_000;

/** An answer that hasn't come after so long isn't coming. */
const patience = 10_000;

const parts = ["title", "signal", "facts", "steer", "notice", "slots-now", "usual", "line-now"];

let /** @type {number|undefined} */ timer = undefined;

async function look() {
  try {
    const answer = await fetch(at("/admin"), { redirect: "manual", signal: AbortSignal.timeout(patience) });
    if (answer.type === "opaqueredirect") {
      location.reload(); // nobody is signed in any more
      return;
    }
    if (!answer.ok) throw new Error(answer.statusText);
    renew(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    away();
  }
  clearTimeout(timer); // of a look that began meanwhile
  timer = setTimeout(look, pause);
}

/** @param {Document} fresh the page as it is now */
function renew(fresh) {
  localTimes(fresh);
  for (const id of parts) {
    const [old, is] = [part(id), fresh.getElementById(id)];
    if (is === null || old.isEqualNode(is)) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement?.id : undefined;
    old.replaceWith(document.adoptNode(is));
    if (focused) document.getElementById(focused)?.focus();
  }
  document.title = fresh.title;
  document.body.classList.remove("stale");
  part("signal").classList.add("live");
  setIcon("icon.svg");
}

/** What stands there may be old. */
function away() {
  document.body.classList.add("stale");
  part("signal").classList.remove("live");
  setText(part("signal-words"), say("wait.reconnecting.signal"));
  setIcon("icon-off.svg");
}

keepIcon("icon-off.svg");
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) look();
});
look();
