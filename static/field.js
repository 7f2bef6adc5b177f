// @ts-check
// The field of the query: how long the text is, and Ctrl+Enter.

import { count, of } from "./words.js";
import { part, setText } from "./page.js";
import { takeDraft } from "./draft.js";

/** @returns {HTMLTextAreaElement} */
export function queryField() {
  return /** @type {HTMLTextAreaElement} */ (part("query"));
}

/** Makes the field of this page alive. */
export function enliven() {
  const field = queryField();
  const told = part("count");
  const most = Number(field.dataset.maxBytes);

  const draft = takeDraft(); // on a page that has a text of its own it is out of date
  if (draft !== null && (field.dataset.draft !== undefined || field.value === "")) {
    field.value = draft.text;
    const forgotten = document.getElementById("forgotten");
    if (forgotten !== null) forgotten.hidden = !draft.forgotten;
  }
  const measure = () => {
    const bytes = field.value.length * 3 < most ? 0 : new TextEncoder().encode(field.value).length;
    const tooLong = bytes > most;
    told.classList.toggle("error", tooLong);
    told.hidden = false;
    field.setCustomValidity(tooLong ? `This text is too long: ${count(bytes)} bytes, where ${count(most)} are the most.` : "");
    if (bytes * 2 > most) setText(told, `${count(bytes)} of ${count(most)} bytes`);
    else setText(told, `${of(field.value.length, "character", "characters")}. Ctrl+Enter sends it.`);
  };
  field.addEventListener("input", measure);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      field.form?.requestSubmit();
    }
  });
  window.addEventListener("pageshow", measure);
  measure();
}
