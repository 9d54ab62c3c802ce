// The list of moves, from which the player looks back, and a field to enter one.

import { h, replace, setDisabled, write } from "./dom.js";
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
    /** @type {HTMLInputElement} */
    this.entry = h("input", {
      type: "text",
      id: "move",
      maxlength: 64,
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: "Enter a move",
    });
    /** The move that was entered last. */
    this.entered = "";
    this.button = h("button", { type: "submit", class: "quiet" }, "Play");
    this.form = h(
      "form",
      {
        class: "entry",
        hidden: true,
        onsubmit: (event) => {
          event.preventDefault();
          this.entered = this.entry.value.trim();
          if (!this.entered || this.entry.readOnly) return;
          this.entry.value = "";
          onPlay(this.entered);
        },
      },
      h("label", { for: "move", class: "unseen" }, "Enter a move"),
      this.entry,
      this.button,
    );
    this.count = h("h2", { id: "record" }, "Moves");
    // It takes the focus from the form, which the end of the game hides.
    this.element = h("section", { class: "card record", "aria-labelledby": "record", tabindex: -1 }, this.count, this.list, this.form);
    this.shown = "";
  }

  /**
   * @param {MatchView} view
   * @param {boolean} isPlayer whether there are moves to enter, now or later: the field keeps the focus meanwhile
   * @param {boolean} playable whether a move can be entered now
   * @param {string} [pending] a move without an answer
   */
  show(view, isPlayer, playable, pending) {
    if (!isPlayer && this.form.contains(document.activeElement)) this.element.focus({ preventScroll: true });
    this.form.hidden = !isPlayer;
    this.entry.readOnly = !playable;
    setDisabled(this.button, !playable);
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

  /** Gives a move back that was entered but not played, to be corrected. @param {string} text */
  giveBack(text) {
    if (text !== this.entered || this.entry.value) return;
    this.entry.value = text;
    if (document.activeElement === this.entry) this.entry.select();
  }
}
