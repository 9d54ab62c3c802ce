// The rows of a list of games.

import { h, write } from "./dom.js";

/** A row with a button or a link, whose name tells what it is for. @param {string} title @param {string} detail @param {HTMLElement} button */
export function row(title, detail, button) {
  const shown = h("li", {}, h("span", { class: "who" }, title), h("span", { class: "what" }), button);
  describe(shown, detail);
  return shown;
}

/** Shows another detail in a row. @param {HTMLElement} row @param {string} detail */
export function describe(row, detail) {
  const [title, what, button] = row.children;
  write(what, detail);
  button.setAttribute("aria-label", `${button.textContent} ${title.textContent}, ${detail}`);
}
