// What is marked above a board's cells: blocks that belong to a seat, and the lines that
// won or scored.

import { s } from "./dom.js";
import { CELL, DISC, key } from "./geometry.js";
import { ink, piece, usual } from "./piece.js";
import { seatIndex } from "./seat.js";

/** A block that belongs to a seat. @typedef {{x: number, y: number, size: number, seat: SeatIndex}} Won */

export class BoardMarks {
  constructor() {
    this.blocks = s("g", { class: "blocks" });
    this.lines = s("g", { class: "lines" });
    this.element = s("g", { class: "marks" }, this.blocks, this.lines);
    /** The lines drawn so far. @type {string[]} */
    this.drawn = [];
    this.known = "";
  }

  /** @param {BoardView} board @param {Map<string, Cell>} cells @param {Geometry} geometry */
  show(board, cells, geometry) {
    const won = wonBlocks(board, geometry);
    const marks = won.map(({ x, y, size, seat }) => [
      s("rect", { x, y, width: size, height: size, rx: 18, class: `won ${ink(board, seat)}` }),
      piece(board, usual(board, seat), { class: "won", transform: `translate(${x + size / 2} ${y + size / 2}) scale(${(size / CELL) * 1.25})` }),
    ]);
    this.blocks.replaceChildren(...marks.flat());
    const centre = (/** @type {Place} */ place) => {
      const { x, y, scale } = /** @type {Cell} */ (cells.get(key(place))).spot;
      return `${x} ${geometry.kind === "stacks" ? y - scale * (DISC.height - 6) : y}`;
    };
    this.#drawLines(board, centre, blockLines(board, geometry));
  }

  /** @param {BoardView} board @param {(place: Place) => string} centre @param {{seat?: SeatName, d: string}[]} across */
  #drawLines(board, centre, across) {
    const last = new Set(board.last.map(key));
    const line = (/** @type {string} */ look, /** @type {string} */ d) =>
      s("g", { class: `line ${look}` }, s("path", { class: "halo", d, pathLength: 1 }), s("path", { class: "core", d, pathLength: 1 }));
    const colourOf = (/** @type {SeatName | undefined} */ seat) => (seat ? ink(board, seatIndex(seat)) : "ink-gray");
    const drawn = board.lines.map(({ seat, places }) => {
      const isNew = places.some((place) => last.has(key(place)));
      return line(colourOf(seat) + (isNew ? "" : " past"), `M${places.map(centre).join("L")}`);
    });
    // Only new lines are animated.
    const lines = board.lines.map((line) => JSON.stringify(line));
    const known = lines.join() + last.size + [...last];
    if (this.known === known && this.lines.childElementCount === drawn.length + across.length) return;
    lines.forEach((line, index) => {
      if (this.drawn.includes(line)) drawn[index].classList.add("old");
    });
    this.known = known;
    this.drawn = lines;
    this.lines.replaceChildren(...drawn, ...across.map(({ seat, d }) => line(`${colourOf(seat)} across`, d)));
  }

  /** Points at a line, or at none. @param {number | null} index */
  point(index) {
    this.lines.classList.toggle("pointing", index !== null);
    Array.from(this.lines.children).forEach((line, at) => line.classList.toggle("pointed", at === index));
  }
}

/** The blocks whose cells all belong to a seat. @param {BoardView} board @param {Geometry} geometry @returns {Won[]} */
function wonBlocks(board, { blocks }) {
  const size = board.layout.kind === "grid" && board.layout.block;
  if (!size) return [];
  const tints = new Map(board.cells.map((cell) => [key(cell.at), cell.tint]));
  const across = Math.max(...board.cells.map((cell) => cell.at[0] + 1)) / size;
  const steps = [...Array(size).keys()];
  return blocks.flatMap((block, index) => {
    const [column, row] = [index % across, Math.floor(index / across)];
    const within = steps.flatMap((x) => steps.map((y) => tints.get(key([column * size + x, row * size + y, 0]))));
    const seat = "ab".indexOf(within[0] ?? "-");
    if (seat < 0 || within.some((tint) => tint !== within[0])) return [];
    return [{ x: block.x, y: block.y, size: block.size, seat: /** @type {SeatIndex} */ (seat) }];
  });
}

/** The lines across whole blocks. @param {BoardView} board @param {Geometry} geometry */
function blockLines(board, { blocks }) {
  const size = (board.layout.kind === "grid" && board.layout.block) || 1;
  const across = Math.max(...board.cells.map((cell) => cell.at[0] + 1)) / size;
  const centre = (/** @type {Place} */ [column, row]) => {
    const { x, y, size: wide } = blocks[Math.floor(row / size) * across + Math.floor(column / size)];
    return `${x + wide / 2} ${y + wide / 2}`;
  };
  return (board.block_lines ?? []).map(({ seat, places }) => ({ seat, d: `M${places.map(centre).join("L")}` }));
}
