// What is said once: aloud, for who listens, and in passing, for who looks.

import { h } from "./dom.js";

/** For how long a notice is seen, in milliseconds. */
const SEEN = 6_000;

const live = /** @type {HTMLElement} */ (document.getElementById("live"));
const toasts = /** @type {HTMLElement} */ (document.getElementById("toasts"));

/** @param {string} text */
export function announce(text) {
  if (!text) return;
  const line = h("p", {}, text);
  live.append(line);
  // A few remain, so that none is lost when several come at once.
  while (live.childElementCount > 4) live.firstElementChild?.remove();
}

/** @param {string} text @param {"plain" | "bad"} [kind] */
export function toast(text, kind = "plain") {
  announce(text);
  const box = h("p", { class: `toast ${kind}`, "aria-hidden": "true" }, text);
  toasts.append(box);
  while (toasts.childElementCount > 3) toasts.firstElementChild?.remove();
  setTimeout(() => box.remove(), SEEN);
}
