// @ts-check
// A text that was changed at the turn and not sent in time: it goes with its author to the page that says so.

const key = "confluence.draft";

/** @param {string} text */
export function keepDraft(text) {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // No room, or storage is off: the text as it was at joining is kept by the server.
  }
}

/** The text that was kept, once; empty if there is none. */
export function takeDraft() {
  try {
    const text = sessionStorage.getItem(key) ?? "";
    sessionStorage.removeItem(key);
    return text;
  } catch {
    return "";
  }
}
