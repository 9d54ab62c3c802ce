// The buttons that step through a game.

import { h, s } from "./dom.js";

/** The drawings by the key that does the same, in 20 by 20. */
const STEPS = {
  Home: ["M4 4h2v12H4zM16 4v12L7 10z", "Start"],
  ArrowLeft: ["M14 4v12L5 10z", "Previous move"],
  ArrowRight: ["M6 4v12l9-6z", "Next move"],
  End: ["M14 4h2v12h-2zM4 4v12l9-6z", "End"],
};

/**
 * @param {(key: string) => void} onStep gets the key that does the same
 * @param {HTMLElement[]} others further buttons
 */
export function stepButtons(onStep, ...others) {
  const buttons = Object.entries(STEPS).map(([key, [d, label]]) =>
    h("button", { type: "button", class: "quiet", "aria-label": label, onclick: () => onStep(key) }, s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d }))),
  );
  return h("div", { class: "row steps" }, buttons, others);
}
