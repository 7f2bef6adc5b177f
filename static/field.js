// @ts-check
// The field of the query: how long the text is, and Ctrl+Enter.

import { say } from "./language.js";
import { part, setText } from "./page.js";
import { keepDraft, takeDraft } from "./draft.js";

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
  if (draft !== null && (draft.switched || field.dataset.draft !== undefined || field.value === "")) {
    field.value = draft.text;
    const forgotten = document.getElementById("forgotten");
    if (forgotten !== null) forgotten.hidden = !draft.forgotten;
  }
  document.getElementById("languages")?.addEventListener("submit", () => {
    if (field.value !== field.defaultValue) keepDraft({ text: field.value, forgotten: false, switched: true });
  });
  const measure = () => {
    const bytes = field.value.length * 3 < most ? 0 : new TextEncoder().encode(field.value).length;
    const tooLong = bytes > most;
    told.classList.toggle("error", tooLong);
    told.hidden = false;
    field.setCustomValidity(tooLong ? say("field.tooLong", { length: bytes, most }) : "");
    if (bytes * 2 > most) setText(told, say("field.bytes", { length: bytes, most }));
    else setText(told, say("field.characters", { n: field.value.length }));
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
