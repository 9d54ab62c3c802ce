// The moves of a game, and a field to type one in.

import { h, replace, write } from "./dom.js";
import { ink } from "./piece.js";

export class Moves {
  /** @param {(text: string) => void} onPlay */
  constructor(onPlay) {
    this.list = h("ol", { class: "moves", "aria-label": "Moves" });
    this.entry = h("input", {
      type: "text",
      id: "move",
      maxlength: 16,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: "a move",
    });
    const form = h(
      "form",
      {
        class: "entry",
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          const text = this.entry.value.trim();
          if (text) onPlay(text);
          this.entry.value = "";
        },
      },
      h("label", { for: "move", class: "unseen" }, "Type a move"),
      this.entry,
      h("button", { type: "submit", class: "quiet" }, "Play"),
    );
    this.form = form;
    this.count = h("h2", {}, "Moves");
    this.element = h("section", { class: "card record" }, this.count, this.list, form);
    this.shown = "";
  }

  /**
   * @param {any} view
   * @param {boolean} playable whether a move may be typed
   * @param {string} [hoped] a move that has no answer yet
   */
  show(view, playable, hoped) {
    this.form.hidden = !playable;
    write(this.count, view.number > 1 ? `Game ${view.number}` : "Moves");
    const text = `${view.number} ${view.moves} ${hoped}`;
    if (text === this.shown) return;
    this.shown = text;
    const first = "ab".indexOf(view.board.first);
    const items = view.moves.map((/** @type {string} */ move, /** @type {number} */ ply) =>
      h("li", { class: ink(view.board, /** @type {0 | 1} */ ((first + ply) % 2)) }, move),
    );
    if (hoped) items.push(h("li", { class: "hoped" }, hoped));
    replace(this.list, items.length ? items : h("li", { class: "none" }, "None yet"));
    this.list.scrollTop = this.list.scrollHeight;
  }
}
