// Groups of options of which one is chosen.

import { ADAPTIVE, LEVELS } from "./computer.js";
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
 * The level of a computer, by name.
 * @param {string} name
 * @returns {Choice<string>}
 */
export function levelChoice(name) {
  const options = [...LEVELS, ADAPTIVE].map((value) => ({ title: value[0].toUpperCase() + value.slice(1), value }));
  return choice(name, "Level", options, LEVELS.indexOf("easy"));
}
