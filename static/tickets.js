// @ts-check
// The line around one ticket, the same as package views draws in tickets.go; views/testdata/words.json tests both.

/** @typedef {"running"|"called"|"mine"|""} Kind */

/**
 * One ticket; number 0: so many are left out here as more says.
 * @typedef {{number: number, more: number, kind: Kind}} Ticket
 */

/** How many people ahead are drawn one by one. */
const fewAhead = 4;

/**
 * @param {number[]} serving @param {number[]} called @param {number[]} next @param {number} mine @param {number} ahead
 * @returns {Ticket[]}
 */
export function tickets(serving, called, next, mine, ahead) {
  /** @type {Ticket[]} */
  const drawn = serving.slice(0, fewAhead).map((number) => ({ number, more: 0, kind: "running" }));
  if (serving.length > fewAhead) drawn.push({ number: 0, more: serving.length - fewAhead, kind: "running" });
  let before = [...upTo(called, mine, "called"), ...upTo(next, mine, "")].slice(0, Math.max(ahead, 0));
  if (ahead > fewAhead) before = before.slice(0, 2);
  drawn.push(...before);
  if (ahead > before.length) drawn.push({ number: 0, more: ahead - before.length, kind: "" });
  drawn.push({ number: mine, more: 0, kind: "mine" });
  return drawn;
}

/** @param {number[]} list @param {number} mine @param {Kind} kind @returns {Ticket[]} */
function upTo(list, mine, kind) {
  const end = list.indexOf(mine);
  return (end < 0 ? list : list.slice(0, end)).map((number) => ({ number, more: 0, kind }));
}
