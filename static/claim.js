// @ts-check
// "Start by itself": an open page sends the claim at its turn.

import { at } from "./address.js";
import { arrive } from "./arrive.js";

/** How often one ticket is claimed by itself, over reloads; after that its owner presses Run. */
const tries = 3;

/**
 * Sends the form for a ticket and goes where the truth is. It resolves to false if that isn't possible, and the page stays.
 * @param {HTMLFormElement} form @param {number} number the ticket's @param {Promise<void>} [heard] the page stays until then
 */
export async function claim(form, number, heard) {
  if (!mayTry(number)) return false;
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(form.action, { method: "POST", redirect: "manual", signal: AbortSignal.timeout(10_000) });
  } catch {
    return false;
  }
  if (answer.type === "opaqueredirect") {
    await heard;
    arrive(at("/wait"));
  } else {
    form.submit(); // the answer is a page of its own: let the browser show it
  }
  return true;
}

/** @param {number} number */
function mayTry(number) {
  const key = `confluence.claimed.${number}`;
  try {
    const done = Number(sessionStorage.getItem(key));
    sessionStorage.setItem(key, String(done + 1));
    return done < tries;
  } catch {
    return true;
  }
}
