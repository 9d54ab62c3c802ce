// The lines that scored or won: listed by player, each pointed at on the board.

import { h, replace } from "./dom.js";
import { ink } from "./piece.js";
import { seatIndex } from "./seat.js";

export class ScoredLines {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.element = h("section", { class: "card record", "aria-labelledby": "lines", hidden: true });
    this.shown = "";
  }

  /**
   * Lists the lines of a game in which lines count points.
   * @param {BoardView} board
   * @param {(seat: SeatIndex) => string} name of a player
   */
  show(board, name) {
    const lines = board.points ? board.lines : [];
    const text = JSON.stringify([lines, board.colors, name(0), name(1)]);
    if (text === this.shown) return;
    this.shown = text;
    this.element.hidden = !lines.length;
    const seats = /** @type {SeatIndex[]} */ ([0, 1]);
    replace(this.element, h("h2", { id: "lines" }, "Lines"), seats.map((seat) => this.#ofSeat(board, seat, name(seat))));
  }

  /** @param {BoardView} board @param {SeatIndex} seat @param {string} name */
  #ofSeat(board, seat, name) {
    const items = board.lines.flatMap((line, index) => (line.seat && seatIndex(line.seat) === seat ? [this.#item(board, line, index)] : []));
    const heading = h("h3", {}, `${name}: ${items.length}`);
    const list = items.length ? h("ul", { class: "moves", "aria-label": `Lines of ${name}` }, items) : null;
    return h("div", { class: "lines-of" }, heading, list);
  }

  /** @param {BoardView} board @param {LineView} line @param {number} index */
  #item(board, { seat, places }, index) {
    const point = () => this.board.point(index);
    const leave = () => this.board.point(null);
    const names = places.map((place) => this.board.shortName(place));
    const events = { onmouseenter: point, onmouseleave: leave, onfocus: point, onblur: leave, onclick: point };
    return h("li", { class: seat && ink(board, seatIndex(seat)) }, h("button", { type: "button", ...events }, names.join(" ")));
  }
}
