// The list of moves, from which the player looks back, and a field to enter one.

import { h, replace, write } from "./dom.js";
import { ink } from "./piece.js";
import { seatIndex } from "./seat.js";

/** A move of a list, which shows the board after it. @param {string} move @param {() => void} onclick */
export const moveButton = (move, onclick) => h("button", { type: "button", onclick }, move);

export class Moves {
  /**
   * @param {(text: string) => void} onPlay
   * @param {(ply: number) => void} onLookBack
   */
  constructor(onPlay, onLookBack) {
    this.onLookBack = onLookBack;
    this.list = h("ol", { class: "moves", "aria-label": "Moves" });
    this.entry = h("input", {
      type: "text",
      id: "move",
      maxlength: 64,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: "Enter a move",
    });
    const form = h(
      "form",
      {
        class: "entry",
        onsubmit: (event) => {
          event.preventDefault();
          const text = this.entry.value.trim();
          if (text) onPlay(text);
          this.entry.value = "";
        },
      },
      h("label", { for: "move", class: "unseen" }, "Enter a move"),
      this.entry,
      h("button", { type: "submit", class: "quiet" }, "Play"),
    );
    this.form = form;
    this.count = h("h2", {}, "Moves");
    this.element = h("section", { class: "card record" }, this.count, this.list, form);
    this.shown = "";
  }

  /**
   * @param {MatchView} view
   * @param {boolean} playable whether a move can be entered
   * @param {string} [pending] a move without an answer
   */
  show(view, playable, pending) {
    this.form.hidden = !playable;
    write(this.count, view.number > 1 ? `Game ${view.number}` : "Moves");
    const text = `${view.number} ${view.moves} ${pending}`;
    if (text === this.shown) return;
    this.shown = text;
    const items = view.moves.map((move, ply) =>
      h("li", { class: ink(view.board, seatIndex(view.movers[ply])) }, moveButton(move, () => this.onLookBack(ply + 1))),
    );
    if (pending) items.push(h("li", { class: "pending" }, pending));
    replace(this.list, items.length ? items : h("li", { class: "none" }, "No moves yet"));
    this.list.scrollTop = this.list.scrollHeight;
  }
}
