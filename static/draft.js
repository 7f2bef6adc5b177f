// @ts-check
// A text that would be lost with its page: changed at the turn and not sent in time, or waiting with a ticket that the server has forgotten.
// It goes with its author to the page that says so.

const key = "confluence.draft";

/**
 * forgotten: the ticket is gone without a word; switched: the same page comes in another language.
 * @typedef {{text: string, forgotten: boolean, switched?: boolean}} Draft
 */

/** @param {Draft} draft */
export function keepDraft(draft) {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // No room, or storage is off: the text as it was at joining is kept by the server.
  }
}

/** The draft that was kept, once. @returns {Draft|null} */
export function takeDraft() {
  try {
    const draft = JSON.parse(sessionStorage.getItem(key) ?? "null");
    sessionStorage.removeItem(key);
    return draft;
  } catch {
    return null;
  }
}
