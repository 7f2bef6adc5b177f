// @ts-check
// The rows of a result: sorted by a press on a column's head, and found by a word. Without script it is the plain table.

import { locale, say } from "./language.js";
import { part, setText } from "./page.js";

/** A count is told when the typing has paused. */
const pauses = 600;

const order = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });

/** A press goes from the rows as they came to rising, to falling, and back. @type {Record<string, string>} */
const after = { none: "ascending", ascending: "descending", descending: "none" };

export class Table {
  /** @param {HTMLTableElement} table @param {import("./say.js").Voice} voice */
  constructor(table, voice) {
    this.body = table.tBodies[0];
    this.rows = Array.from(this.body.rows);
    this.heads = Array.from(table.querySelectorAll("thead th"));
    if (this.rows.length < 2) return;
    this.heads.forEach((head, column) => this.offerSort(head, column));
    this.offerFind(voice);
  }

  /** @param {Element} head @param {number} column */
  offerSort(head, column) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const next = after[head.getAttribute("aria-sort") ?? "none"];
      for (const other of this.heads) other.setAttribute("aria-sort", other === head ? next : "none");
      this.body.append(...this.sorted(column, next, head.className === "num"));
    });
  }

  /** NULL comes last, whichever way. @param {number} column @param {string} direction @param {boolean} numeric */
  sorted(column, direction, numeric) {
    if (direction === "none") return this.rows;
    const sign = direction === "ascending" ? 1 : -1;
    const keyed = this.rows.map((row) => {
      const cell = row.cells[column];
      return { row, empty: cell.className === "null", text: cell.textContent ?? "" };
    });
    keyed.sort((a, b) => {
      if (a.empty || b.empty) return Number(a.empty) - Number(b.empty);
      return sign * (numeric ? Number(a.text) - Number(b.text) : order.compare(a.text, b.text));
    });
    return keyed.map(({ row }) => row);
  }

  /** @param {import("./say.js").Voice} voice */
  offerFind(voice) {
    const field = /** @type {HTMLInputElement} */ (part("find"));
    /** @type {number|undefined} */
    let telling;
    field.addEventListener("input", () => {
      const words = field.value.trim().toLocaleLowerCase();
      let found = 0;
      for (const row of this.rows) {
        row.hidden = words !== "" && !Array.from(row.cells).some((cell) => (cell.textContent ?? "").toLocaleLowerCase().includes(words));
        if (!row.hidden) found++;
      }
      const told = words === "" ? "" : say("result.found", { n: found });
      setText(part("found"), told);
      clearTimeout(telling);
      telling = setTimeout(() => voice.now(told), pauses);
    });
    part("finding").hidden = false;
  }
}
