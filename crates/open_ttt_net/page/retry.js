// "Try it again": in the position before a mistake, the player looks for a better move.

import * as api from "./api.js";
import { h, replace, write } from "./dom.js";
import { announce, messageOf } from "./notifications.js";
import { worthText } from "./worth.js";

/** The longest time in which the moves are judged, in milliseconds. */
const JUDGING_TIME = 2_000;

/** How much less than the best move a move may be expected to score to count as right, in points. */
const TOLERANCE = 0.05;

/** Whether a move keeps what the best one keeps. @param {MoveWorth} worth @param {MoveWorth} best */
export const isAsGood = (worth, best) =>
  worth.move === best.move || (worth.exact && best.exact ? worth.result === best.result && worth.margin === best.margin : best.expected - worth.expected <= TOLERANCE);

export class Retry {
  /**
   * @param {object} task
   * @param {string} task.game
   * @param {string[]} task.moves those before the mistake
   * @param {ReviewedMove} task.mistake
   * @param {string} task.name the player's
   * @param {() => void} onChange the move to show has changed
   * @param {() => void} onEnd
   */
  constructor({ game, moves, mistake, name }, onChange, onEnd) {
    this.mistake = mistake;
    this.onChange = onChange;
    /** The better move, once it is found or shown. */
    this.answer = "";
    this.text = h("p", { class: "analysis" });
    this.reveal = h("button", { type: "button", class: "quiet", id: "retry-answer", onclick: () => this.#solve("The better move was", mistake.best) }, "Show the answer");
    this.back = h("button", { type: "button", class: "quiet", id: "retry-end", onclick: onEnd }, "Back to the review");
    this.element = h(
      "section",
      { class: "retry", "aria-label": "Try it again" },
      this.text,
      h("div", { class: "row" }, this.reveal, this.back),
    );
    this.#say(`Find a better move for ${name} than ${mistake.played.move}.`);
    this.values = api.values(game, moves, JUDGING_TIME).then(({ values = [] }) => values);
    // Whoever plays a move hears of a failure.
    this.values.catch(() => {});
  }

  /** Whether a move is still looked for. */
  get isOpen() {
    return !this.answer;
  }

  /** Judges a move of the player. @param {string} move */
  async play(move) {
    const { played, best } = this.mistake;
    if (move === played.move) return this.#say(`${move} was played in the game: it ${worthText(played)}. Look for another move.`);
    if (move === best.move) return this.#solve("Right!", best);
    try {
      const values = await this.values;
      const worth = values.find((it) => it.move === move);
      if (!worth) return this.#say(`${move} can't be judged. Try another move.`);
      if (isAsGood(worth, values[0])) this.#solve("Right!", worth);
      else this.#say(`Not quite: ${move} ${worthText(worth)}. Try another move.`);
    } catch (error) {
      this.#say(messageOf(error));
    }
  }

  /** @param {string} praise @param {MoveWorth} worth */
  #solve(praise, worth) {
    this.answer = worth.move;
    if (document.activeElement === this.reveal) this.back.focus();
    this.reveal.remove();
    const { best, line } = this.mistake;
    const goesOn = worth.move === best.move && line.length > 1 ? ` It could go on: ${line.slice(0, 8).join(" ")}.` : "";
    this.#say(praise.endsWith("!") ? `${praise} ${worth.move} ${worthText(worth)}.${goesOn}` : `${praise} ${worth.move}: it ${worthText(worth)}.${goesOn}`);
    this.onChange();
  }

  /** @param {string} text */
  #say(text) {
    write(this.text, text);
    announce(text);
  }
}
