// The parameters of the chosen game: sizes, lengths of lines, variants.

import { choice } from "./choice.js";
import { h, replace } from "./dom.js";

/** A picker of one value. @typedef {{element: HTMLElement, value: number}} Picker */

export class Parameters {
  constructor() {
    this.element = h("div", { class: "parameters" });
    /** @type {GameInfo | undefined} */
    this.game = undefined;
    /** One for each parameter. @type {Picker[]} */
    this.pickers = [];
  }

  /** Offers the parameters of a game, at their defaults. @param {GameInfo} game */
  show(game) {
    this.game = game;
    this.pickers = game.parameters.map(picker);
    replace(this.element, this.pickers.map(({ element }) => element));
  }

  /** The game's name with the chosen values: `k(m=5,n=5)`; without them at their defaults. */
  get name() {
    const { game = "", parameters = [] } = this.game ?? {};
    const values = this.pickers.map(({ value }) => value);
    if (parameters.every((parameter, at) => parameter.default === values[at])) return game;
    return `${game}(${parameters.map(({ name }, at) => `${name}=${values[at]}`).join(",")})`;
  }
}

/** @param {GameParameter} parameter @returns {Picker} */
function picker({ name, meaning, allowed, default: value }) {
  const title = meaning.charAt(0).toUpperCase() + meaning.slice(1);
  if ("one_of" in allowed) {
    const options = allowed.one_of.map((value) => ({ title: String(value), value }));
    return choice(`parameter-${name}`, title, options, allowed.one_of.indexOf(value));
  }
  const [min, max] = allowed.range;
  const id = `parameter-${name}`;
  const clamp = (/** @type {number} */ number) => (Number.isNaN(number) ? value : Math.min(max, Math.max(min, Math.round(number))));
  const correct = () => void (field.value = String(clamp(field.valueAsNumber)));
  /** @type {HTMLInputElement} */
  const field = h("input", { type: "number", id, min, max, step: 1, value, onchange: correct });
  const step = (/** @type {number} */ by, /** @type {string} */ sign) => {
    const onclick = () => void (field.value = String(clamp(field.valueAsNumber + by)));
    return h("button", { type: "button", class: "quiet", "aria-label": `${by > 0 ? "Raise" : "Lower"}: ${meaning}`, onclick }, sign);
  };
  const element = h("div", { class: "field" }, h("label", { for: id }, title), h("div", { class: "stepper" }, step(-1, "−"), field, step(1, "+")));
  return {
    element,
    get value() {
      return clamp(field.valueAsNumber);
    },
  };
}
