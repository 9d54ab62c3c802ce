// Groups of options of which one is chosen.

import { STRENGTHS } from "./computer.js";
import { h } from "./dom.js";

/**
 * @template V
 * @param {string} name
 * @param {string} title
 * @param {{title: string, value: V}[]} options
 * @param {number} chosen the index of the initial choice
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
 * The strength of a computer: named levels, and a slider for the values between
 * them. The value is the probability of a mistake, from 0 to 1.
 * @param {string} name
 * @returns {Choice<number>}
 */
export function strengthChoice(name) {
  const options = STRENGTHS.map(({ title, mistakes }) => ({ title, value: mistakes }));
  const output = h("output", {});
  /** @type {HTMLInputElement} */
  const slider = h("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 5,
    value: 30,
    "aria-label": "Mistakes of the computer, in percent",
    oninput: () => set(slider.valueAsNumber / 100),
  });
  const levels = choice(name, "Difficulty", options, 1, (value) => set(value));
  const set = (/** @type {number} */ mistakes) => {
    levels.value = mistakes;
    slider.value = String(Math.round(mistakes * 100));
    output.textContent = mistakes ? `${slider.value}% mistakes` : "No mistakes";
  };
  set(0.3);
  levels.element.append(h("div", { class: "mistakes" }, slider, output));
  return {
    element: levels.element,
    get value() {
      return slider.valueAsNumber / 100;
    },
    set value(value) {
      set(value);
    },
  };
}
