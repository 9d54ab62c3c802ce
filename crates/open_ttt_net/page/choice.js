// One of a few, side by side.

import { STRENGTHS } from "./computer.js";
import { h } from "./dom.js";

/**
 * @template V
 * @typedef {{element: HTMLElement, value: V}} Choice
 */

/**
 * @template V
 * @param {string} name
 * @param {string} title
 * @param {{title: string, value: V}[]} options
 * @param {number} chosen the index of the one that is chosen at first
 * @param {(value: V) => void} [onChange]
 * @returns {Choice<V>}
 */
export function choice(name, title, options, chosen, onChange = () => {}) {
  const inputs = options.map((option, index) =>
    h("input", { type: "radio", class: "unseen", name, value: index, checked: index === chosen, onchange: () => onChange(option.value) }),
  );
  const element = h(
    "fieldset",
    { class: "choice" },
    h("legend", {}, title),
    h("div", {}, options.map((option, index) => h("label", {}, inputs[index], h("span", {}, option.title)))),
  );
  return {
    element,
    get value() {
      return options[inputs.findIndex((input) => input.checked)]?.value ?? options[chosen].value;
    },
    set value(value) {
      options.forEach((option, index) => {
        inputs[index].checked = option.value === value;
      });
    },
  };
}

/**
 * How strong a computer is to be: a few words, and a slider for what lies
 * between. Its value is how often it errs, from 0 to 1.
 * @param {string} name
 * @returns {Choice<number>}
 */
export function strengthChoice(name) {
  const options = STRENGTHS.map(({ title, mistakes }) => ({ title, value: mistakes }));
  const said = h("output", {});
  const slider = h("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 5,
    value: 30,
    "aria-label": "How often the computer errs, in percent",
    oninput: () => turn(slider.valueAsNumber / 100),
  });
  const words = choice(name, "Strength", options, 1, (value) => turn(value));
  const turn = (/** @type {number} */ mistakes) => {
    words.value = mistakes;
    slider.value = String(Math.round(mistakes * 100));
    said.textContent = mistakes ? `${slider.value} % mistakes` : "no mistakes";
  };
  turn(0.3);
  words.element.append(h("div", { class: "errs" }, slider, said));
  return {
    element: words.element,
    get value() {
      return slider.valueAsNumber / 100;
    },
    set value(value) {
      turn(value);
    },
  };
}
