// @ts-check
// What the page says, in the language of the page: its messages stand in it, taken from the catalogue of which the server speaks too.
// It says them as package i18n does; views/testdata/words.mjs tests both, in every language.

/** A text, or one a plural form. @typedef {string | Record<string, string>} Message */

/** @type {{locale: string, number: {group: string, decimal: string, digits?: string}, messages: Record<string, Message>}} */
const spoken = JSON.parse(document.getElementById("messages")?.textContent ?? "");
const { number, messages } = spoken;

/** The language of the page. @type {string} */
export const locale = spoken.locale;

const plural = new Intl.PluralRules(locale);
const own = Array.from(number.digits ?? "");

/**
 * The message of a key, with its values in their places: a number as the language writes numbers, a string as it is. Tests read the keys from
 * the scripts, so they stand here as literals.
 * @param {string} key @param {Record<string, string|number>} [values]
 */
export function say(key, values = {}) {
  const message = messages[key] ?? key;
  const text = typeof message === "string" ? message : message[plural.select(Number(values.n))] ?? message.other;
  return text.replace(/\{(\w+)\}/g, (place, name) => {
    const value = values[name];
    if (value === undefined) return place;
    return typeof value === "number" ? count(value) : value;
  });
}

/** A number with its thousands apart: "12,345". @param {number} n */
export function count(n) {
  return digits(String(Math.trunc(n)).replace(/\B(?=(\d{3})+$)/g, number.group));
}

/** A text, such as a time of day, with its digits as the language writes them. @param {string} text */
export function digits(text) {
  return own.length === 0 ? text : text.replace(/\d/g, (digit) => own[Number(digit)]);
}
