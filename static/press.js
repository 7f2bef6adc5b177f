// @ts-check
// One press, one request: a form that was sent can't be sent again until the answer is here, or clearly isn't coming.

/** After so long without an answer the buttons come back. */
const patience = 15_000;

/** Guards every form of the document. */
export function guardForms() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return;
    if (form.dataset.sent !== undefined) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "";
    // The browser collects the fields, the pressed button among them, after this event, so the buttons are disabled only then.
    setTimeout(() => setButtons(form, true));
    setTimeout(() => release(form), patience);
  });
  // Back from the browser's cache the page is as it was left.
  window.addEventListener("pageshow", () => {
    for (const form of document.forms) release(form);
  });
}

/** @param {HTMLFormElement} form */
function release(form) {
  delete form.dataset.sent;
  setButtons(form, false);
}

/** @param {HTMLFormElement} form @param {boolean} disabled */
function setButtons(form, disabled) {
  for (const element of form.elements) {
    if (element instanceof HTMLButtonElement && element.type === "submit") element.disabled = disabled;
  }
}
