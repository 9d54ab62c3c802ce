// Creates and updates elements. Text is inserted as text, never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {Element} E
 * @param {E} element
 * @param {Record<string, Attribute>} attributes
 * @param {(Child | Child[])[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...present(children));
  return element;
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(string | Node)[]}
 */
function present(children) {
  const kept = [];
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    kept.push(child instanceof Node ? child : String(child));
  }
  return kept;
}

/**
 * Creates an HTML element. A function is a listener of the event that its name has
 * after "on"; attributes that are null or false are omitted.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...(Child | Child[])} children
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Creates an SVG element.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...(Child | Child[])} children
 */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function replace(element, ...children) {
  element.replaceChildren(...present(children));
}

/**
 * Makes these elements the children of another one. Those that were its children in the
 * same order are not moved, so they keep the focus.
 * @param {Element} element
 * @param {Element[]} children
 */
export function update(element, children) {
  const wanted = new Set(children);
  for (const child of [...element.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, at) => {
    const there = element.children[at];
    if (there !== child) element.insertBefore(child, there ?? null);
  });
}

/**
 * Sets the text of an element if it differs: screen readers would read an
 * unchanged text again.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes a button do nothing for a while. Unlike one with `disabled` it keeps the focus; what it
 * does asks `isDisabled`.
 * @param {HTMLButtonElement} button
 * @param {boolean} isDisabled
 */
export function setDisabled(button, isDisabled) {
  if (isDisabled) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

/** Whether a button does nothing now. @param {HTMLButtonElement} button */
export const isDisabled = (button) => button.getAttribute("aria-disabled") === "true";

/** The element with this id, which index.html has. @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
