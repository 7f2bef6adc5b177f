// @ts-check
// A problem that passes by itself: the page goes on as soon as it has.

import { at } from "./address.js";
import { part } from "./page.js";

const main = part("main");
const to = main.dataset.to ? at(main.dataset.to) : location.pathname;
const seconds = Number(main.dataset.seconds);

async function look() {
  try {
    const answer = await fetch(to, { redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(10_000) });
    if (answer.status < 500) {
      location.replace(to);
      return;
    }
  } catch {
    // Not there yet.
  }
  again();
}

function again() {
  setTimeout(look, seconds * (0.75 + Math.random() / 2) * 1_000);
}

again();
