// Checks the scripts' words against a table: node words.mjs FOLDER-OF-THE-SCRIPTS TABLE MESSAGES-OF-THE-LANGUAGE. It prints what differs, and exits with 1 if anything does.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file, messages] = process.argv.slice(2);
globalThis.document = { getElementById: () => ({ textContent: readFileSync(messages, "utf8") }) };
const load = (name) => import(pathToFileURL(join(folder, name)).href);
const words = { ...(await load("words.js")), ...(await load("language.js")) };
const { waitPhrase } = await load("estimate.js");
const { tickets } = await load("tickets.js");
const table = JSON.parse(readFileSync(file, "utf8"));

const checks = {
  wait: (row) => {
    const got = waitPhrase(row, row.ahead, row);
    assert.deepEqual(got, { headline: row.headline, range: row.range, why: row.why });
  },
  tickets: (row) => assert.deepEqual(tickets(row.serving, row.called, row.next, row.mine, row.ahead), row.drawn),
};

for (const [name, rows] of Object.entries(table)) {
  const plain = (row) => assert.equal(words[name](...row.slice(0, -1)), row.at(-1));
  for (const row of rows) {
    try {
      (checks[name] ?? plain)(row);
    } catch (error) {
      console.log(`${name} ${JSON.stringify(row)}\n${error.message}\n`);
      process.exitCode = 1;
    }
  }
}
