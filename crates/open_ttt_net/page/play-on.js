// "Play on from here": a match that begins in a position, against a computer or a friend.

import { choice, levelChoice } from "./choice.js";
import { computerSpec } from "./computer.js";
import { h, replace } from "./dom.js";
import { toastError } from "./notifications.js";
import { ownKey } from "./player-key.js";
import { seatIndex } from "./seat.js";
import { createMatch } from "./solo.js";
import * as storage from "./storage.js";

export class PlayOn {
  /** @param {string} title */
  constructor(title = "Play on from here") {
    /** @type {{game: string, moves: string[], board: BoardView} | null} */
    this.position = null;
    /** @type {Choice<SeatIndex> | null} */
    this.side = null;
    this.sides = h("div", {});
    this.level = levelChoice("play-on-level");
    const button = (/** @type {string} */ text, /** @type {string} */ id, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", class: "main second", id, onclick }, text);
    this.element = h(
      "details",
      { class: "card more play-on", hidden: true },
      h("summary", {}, title),
      this.sides,
      this.level.element,
      h("div", { class: "row" }, button("Play the computer", "play-on-computer", () => this.#playComputer()), button("Invite a friend", "play-on-friend", () => this.#create(null))),
    );
  }

  /** Offers a position, unless the game is over there. @param {string} game @param {string[]} moves @param {BoardView} board */
  show(game, moves, board) {
    this.element.hidden = !board.to_move;
    if (!board.to_move) return;
    const before = this.position?.board;
    this.position = { game, moves, board };
    if (this.side && before?.to_move === board.to_move && before.first === board.first) return;
    const options = board.side_names.map((title, seat) => ({ title, value: /** @type {SeatIndex} */ (seat) }));
    this.side = choice("play-on-side", "Play as", options, seatIndex(board.to_move));
    replace(this.sides, this.side.element);
  }

  #playComputer() {
    if (this.position) this.#create({ computer: computerSpec(this.level.value, this.position.game) });
  }

  /** @param {SeatRequest | null} opponent */
  async #create(opponent) {
    if (!this.position || this.isCreating) return;
    this.isCreating = true;
    const { game, moves, board } = this.position;
    const isFirst = this.side !== null && seatIndex(board.first) === this.side.value;
    try {
      const assigned = await createMatch({
        game,
        moves,
        seats: [{ person: storage.playerName() || "Guest" }, opponent],
        first: isFirst ? "a" : "b",
        listed: false,
        rated: false,
        key: ownKey(),
      });
      location.assign(storage.keepSeat(assigned, game));
    } catch (error) {
      this.isCreating = false;
      toastError(error);
    }
  }
}
