// @ts-check
// Where this Confluence is. It may be below a path of its host, and this file is two folders below that.

/** The address of what has the path here. @param {string} path begins with a slash */
export function at(path) {
  const url = new URL(`../..${path}`, import.meta.url);
  return url.pathname + url.search;
}
