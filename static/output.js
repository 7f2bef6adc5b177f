// @ts-check
// The first part of an answer, drawn as it comes: at most once a frame, and never more than a page can hold. What follows is counted.

import { part, setOptional, setText } from "./page.js";
import { say } from "./language.js";

/** What is drawn at most. */
const mostRows = 1_000;
const mostText = 200_000;
const mostCell = 2_000;

export class Output {
  constructor() {
    /** @type {any[][]} */
    this.waiting = [];
    this.text = "";
    this.total = 0;
    this.inWord = false;
    this.kind = /** @type {""|"table"|"text"} */ ("");
    this.drawn = 0;
    this.scheduled = false;
    this.fresh = true; // what the server has drawn is still there
    /** @type {boolean[]} */
    this.numeric = [];
    /** @type {HTMLTableSectionElement|undefined} */
    this.body = undefined;
    /** @type {HTMLElement|undefined} */
    this.pre = undefined;
  }

  /** Forgets everything, for a stream that tells all from the start. */
  clear() {
    this.waiting = [];
    this.text = "";
    this.total = this.drawn = 0;
    this.inWord = false;
    this.kind = "";
    this.fresh = true;
    this.body = this.pre = undefined;
  }

  /** @param {{text?: string, columns?: any[], rows?: any[][]}} piece */
  add(piece) {
    if (this.fresh) {
      part("answer").replaceChildren();
      this.fresh = false;
    }
    if (piece.columns) this.table(piece.columns);
    if (piece.rows) {
      this.total += piece.rows.length;
      const room = mostRows - this.drawn - this.waiting.length;
      if (room > 0) this.waiting.push(...piece.rows.slice(0, room));
    }
    if (piece.text) {
      if (this.kind === "") this.prose();
      this.total += this.words(piece.text);
      const room = mostText - this.drawn - this.text.length;
      if (room > 0) this.text += piece.text.slice(0, room);
    }
    if (!this.scheduled) {
      this.scheduled = true;
      requestAnimationFrame(() => this.draw());
    }
  }

  /** @param {any[]} columns */
  table(columns) {
    this.kind = "table";
    const scroll = document.createElement("div");
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-labelledby", "output");
    const table = document.createElement("table");
    const row = table.createTHead().insertRow();
    for (const column of columns) {
      const head = document.createElement("th");
      head.scope = "col";
      head.dir = "auto";
      head.textContent = typeof column === "string" ? column : String(column.name);
      row.append(head);
    }
    this.body = table.createTBody();
    scroll.append(table);
    part("answer").append(scroll);
    setText(part("output"), say("run.coming.rows"));
    setText(part("amount-label"), say("run.rows"));
  }

  prose() {
    this.kind = "text";
    const pre = document.createElement("pre");
    pre.className = "answer coming";
    pre.dir = "auto";
    pre.tabIndex = 0;
    pre.setAttribute("role", "group");
    pre.setAttribute("aria-labelledby", "output");
    this.pre = pre;
    part("answer").append(pre);
    setText(part("output"), say("run.coming.words"));
    setText(part("amount-label"), say("run.words"));
  }

  draw() {
    this.scheduled = false;
    if (this.body && this.waiting.length > 0) {
      if (this.drawn === 0) this.align(this.waiting);
      const rows = this.waiting.map((cells) => this.row(cells));
      this.body.append(...rows);
      this.drawn += rows.length;
      this.waiting = [];
    }
    if (this.pre && this.text !== "") {
      this.pre.append(this.text);
      this.drawn += this.text.length;
      this.text = "";
    }
    part("amount").hidden = false;
    setText(part("amount-count"), say("run.count", { count: this.total }));
    setOptional(part("bounded"), this.bounded());
  }

  bounded() {
    if (this.kind === "table" && this.total > this.drawn) {
      return say("run.bounded.rows", { n: this.drawn });
    }
    if (this.kind === "text" && this.drawn >= mostText) {
      return say("run.bounded.words");
    }
    return "";
  }

  /** A column whose first values are all numbers stands to the right. @param {any[][]} rows */
  align(rows) {
    const heads = this.body?.parentElement?.querySelectorAll("thead th") ?? [];
    this.numeric = Array.from(heads, (head, i) => {
      const values = rows.map((cells) => cells[i]).filter((value) => value !== null);
      const numeric = values.length > 0 && values.every((value) => typeof value === "number");
      if (numeric) head.className = "num";
      return numeric;
    });
  }

  /** @param {any[]} cells */
  row(cells) {
    const row = document.createElement("tr");
    cells.forEach((value, i) => {
      const cell = document.createElement("td");
      if (value === null) {
        cell.className = "null";
        cell.textContent = "NULL";
      } else {
        const text = String(value);
        if (this.numeric[i]) cell.className = "num";
        else cell.dir = "auto";
        cell.textContent = text.length > mostCell ? `${text.slice(0, mostCell)}…` : text;
      }
      row.append(cell);
    });
    return row;
  }

  /** Counts the words that begin in a piece. @param {string} text */
  words(text) {
    let begun = 0;
    for (const character of text) {
      const space = /\s/.test(character);
      if (!space && !this.inWord) begun++;
      this.inWord = !space;
    }
    return begun;
  }
}
