// @ts-check
// What every page does. A page's own module imports this one.

import { guardForms } from "./press.js";
import { localTimes } from "./times.js";

/** The element with an id that the page surely has. @param {string} id @returns {HTMLElement} */
export function part(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

/** Sets a text, if it is another one, so that nothing is drawn or spoken in vain. @param {HTMLElement} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets a text, and hides the element while there is none. @param {HTMLElement} element @param {string} text */
export function setOptional(element, text) {
  setText(element, text);
  element.hidden = text === "";
}

/** What the place is called. */
const named = document.querySelector("meta[name=application-name]")?.getAttribute("content");

/** Sets the tab's title. @param {string} fact what it leads with */
export function setTitle(fact) {
  const title = `${fact} · ${named}`;
  if (document.title !== title) document.title = title;
}

/** Sets the tab's icon. @param {string} name of a file beside this one */
export function setIcon(name) {
  const link = document.getElementById("icon");
  const href = new URL(name, import.meta.url).href;
  if (link instanceof HTMLLinkElement && link.href !== href) link.href = href;
}

/** Has the browser keep an icon that is needed when the server can't be reached. @param {string} name */
export async function keepIcon(name) {
  try {
    await fetch(new URL(name, import.meta.url));
  } catch {
    // The tab then shows the icon that it has.
  }
}

localTimes(document);
guardForms();
const first = document.querySelector("#fault, [data-focus]");
if (first instanceof HTMLElement) first.focus();
