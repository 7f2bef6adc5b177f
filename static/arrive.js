// @ts-check
// Going to the page that shows the truth, as soon as there is one: a server that restarts must not cost its reader the page that is open.

import { at } from "./address.js";

const first = 500;
const longest = 15_000;

/**
 * Replaces this page by another. While the server doesn't answer it tries again.
 * @param {string} address @param {() => void} [away] is called once if it takes longer
 */
export async function arrive(address, away) {
  let told = false;
  for (let pause = first; !(await answers()); pause = Math.min(pause * 2, longest)) {
    if (!told) away?.();
    told = true;
    const wait = pause * (0.5 + Math.random() / 2);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
  location.replace(address);
}

/** Whether the server, and not only a proxy before it, is there. */
async function answers() {
  try {
    const answer = await fetch(at("/healthz"), { cache: "no-store", signal: AbortSignal.timeout(10_000) });
    return answer.status < 500;
  } catch {
    return false;
  }
}
