// Short messages: announced to screen readers, and shown as toasts.

import { byId, h } from "./dom.js";

/** How long a toast is visible, in milliseconds. */
const TOAST_TIME = 6_000;
/** How long an announcement can be found by a screen reader, in milliseconds. */
const LIVE_TIME = 15_000;

const live = byId("live");
const toasts = byId("toasts");

/** @param {string} text */
export function announce(text) {
  if (!text) return;
  const said = h("p", {}, text);
  live.append(said);
  // Keeping the last few lets a screen reader read several at once.
  while (live.childElementCount > 4) live.firstElementChild?.remove();
  setTimeout(() => said.remove(), LIVE_TIME);
}

/** @param {string} text @param {"plain" | "bad"} [kind] */
export function toast(text, kind = "plain") {
  announce(text);
  const box = h("p", { class: `toast ${kind}`, "aria-hidden": "true" }, text);
  toasts.append(box);
  while (toasts.childElementCount > 3) toasts.firstElementChild?.remove();
  setTimeout(() => box.remove(), TOAST_TIME);
}

/** Shows the message of an error. @param {unknown} error */
export const toastError = (error) => toast(messageOf(error), "bad");

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
