// Help in a game against a computer: values on the board, an evaluation bar, a hint.

import * as api from "./api.js";
import { h, replace, write } from "./dom.js";
import { announce, messageOf } from "./notifications.js";
import { opponent, seatIndex } from "./seat.js";
import { evaluationBar, positionText } from "./worth.js";

export class Coach {
  /** @param {() => void} onChange something to draw on the board has changed */
  constructor(onChange) {
    this.onChange = onChange;
    this.tick = h("input", { type: "checkbox", id: "values", onchange: () => this.#start() });
    this.button = h("button", { type: "button", class: "quiet", id: "hint", onclick: () => this.#hint() }, "Hint");
    this.bar = h("div", {});
    this.text = h("p", { class: "analysis" });
    this.element = h(
      "section",
      { class: "coach", "aria-label": "Coach", hidden: true },
      h("div", { class: "row" }, h("label", { class: "tick", for: "values" }, this.tick, h("span", {}, "Show values")), this.button),
      this.bar,
      this.text,
    );
    /** The position of the player's turn. @type {{view: MatchView, seat: SeatIndex, names: [string, string]} | null} */
    this.turn = null;
    this.position = "";
    /** What is known of it. @type {PositionAnalysis | null} */
    this.analysis = null;
    this.wantsHint = false;
    /** Ends the search for what isn't asked any more. */
    this.search = new AbortController();
  }

  /**
   * Follows the game. There is help only against a computer, in games that don't count.
   * @param {MatchView} view @param {SeatIndex | null} seat the player's @param {[string, string]} names
   */
  show(view, seat, names) {
    const isHelpful = seat !== null && !view.settings.rated && !view.verdict && Boolean(view.seats[opponent(seat)]?.computer);
    this.element.hidden = !isHelpful;
    const isTurn = isHelpful && view.to_move !== null && seatIndex(view.to_move) === seat;
    this.turn = isTurn ? { view, seat, names } : null;
    this.button.disabled = !isTurn;
    const position = isTurn ? `${view.number} ${view.moves.join(" ")}` : "";
    if (position === this.position) return;
    this.position = position;
    this.search.abort();
    this.analysis = null;
    this.wantsHint = false;
    this.#draw();
    if (isTurn && this.tick.checked) this.#ask();
  }

  /** The values to draw on the board. */
  get values() {
    return (this.tick.checked && this.analysis?.values) || [];
  }

  /** The move of the hint, as a list. */
  get hints() {
    const hint = this.wantsHint && this.analysis?.hint;
    return hint ? [hint.move] : [];
  }

  #start() {
    this.#draw();
    this.onChange();
    if (this.tick.checked && !this.analysis) this.#ask();
  }

  #hint() {
    this.wantsHint = true;
    if (this.analysis) return this.#changed();
    write(this.text, "Thinking…");
    this.#ask();
  }

  /** Asks for the values of the position, a quick answer first. */
  async #ask() {
    const { turn, position } = this;
    if (!turn) return;
    this.search.abort();
    const { signal } = (this.search = new AbortController());
    try {
      for await (const analysis of api.improvingValues(turn.view.settings.game, turn.view.moves, signal)) {
        if (position !== this.position) return;
        this.analysis = analysis;
        this.#changed();
      }
    } catch (error) {
      if (signal.aborted) return;
      write(this.text, messageOf(error));
      announce(messageOf(error));
    }
  }

  #changed() {
    this.#draw();
    this.onChange();
  }

  /** Draws the bar and the text. */
  #draw() {
    const { analysis, turn } = this;
    const best = analysis?.values?.[0];
    if (!turn || !best || !this.tick.checked) replace(this.bar, null);
    else {
      const text = positionText(analysis, turn.names[turn.seat], turn.names[opponent(turn.seat)]);
      const first = turn.seat === 0 ? best.expected : 1 - best.expected;
      replace(this.bar, evaluationBar(turn.view.board, first, text));
    }
    const hint = this.wantsHint && analysis?.hint ? analysis.hint.why : "";
    if (hint && hint !== this.text.textContent) announce(hint);
    write(this.text, hint);
  }
}
