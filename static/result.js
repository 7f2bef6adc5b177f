// @ts-check
// A run that has ended: copy and print what is shown.

import { at } from "./address.js";
import { say } from "./language.js";
import { part, setText } from "./page.js";
import { Voice } from "./say.js";
import { Table } from "./table.js";

const voice = new Voice(part("said"));

/** The shown rows, as spreadsheets take them: cells apart by tabs, and no tab or line end inside a cell. */
function tableText() {
  const table = /** @type {HTMLTableElement} */ (part("table"));
  const lines = [];
  for (const row of table.rows) {
    if (row.hidden) continue;
    lines.push(Array.from(row.cells, (cell) => (cell.className === "null" ? "" : cell.textContent ?? "").replace(/[\t\r\n]+/g, " ")).join("\t"));
  }
  return lines.join("\n");
}

/** @param {HTMLElement} button */
async function copy(button) {
  const words = button.textContent ?? "";
  const text = document.getElementById("text");
  try {
    await navigator.clipboard.writeText(text === null ? tableText() : text.textContent ?? "");
    setText(button, say("result.copied"));
    voice.now(say("result.copied.said"));
  } catch {
    setText(button, say("result.copy.refused"));
    voice.now(say("result.copy.refused.said"));
  }
  setTimeout(() => setText(button, words.trim()), 3_000);
}

/** So often a page looks whether the runner has stopped at last. */
const stopsWithin = 3_000;

/** The run whose end is still to come: its runner hasn't stopped yet. */
const stopping = document.getElementById("main")?.dataset.stopping;
if (stopping !== undefined) {
  const looking = setInterval(async () => {
    try {
      const answer = await fetch(at(`/api/v1/runs/${encodeURIComponent(stopping)}`), { cache: "no-store", signal: AbortSignal.timeout(10_000) });
      if (answer.ok && (await answer.json()).state === "stopping") return;
      clearInterval(looking);
      location.reload();
    } catch {
      // Away: the next look may find it.
    }
  }, stopsWithin);
}

const table = document.getElementById("table");
if (table instanceof HTMLTableElement) new Table(table, voice);

const button = document.getElementById("copy");
if (button !== null) {
  // Browsers lend the clipboard to secure pages only.
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener("click", () => copy(button));
}
const print = document.getElementById("print");
if (print !== null) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
