// The rows of a list of games.

import { h } from "./dom.js";

/** @param {string} title @param {string} detail @param {HTMLElement} button */
export const row = (title, detail, button) => h("li", {}, h("span", { class: "who" }, title), h("span", { class: "what" }, detail), button);
