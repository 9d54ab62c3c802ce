// The board, drawn as SVG, to watch and to play on.

import { s } from "./dom.js";
import { CELL, DISC, KNOB, geometryOf, key, next } from "./geometry.js";
import { disc, ink, piece } from "./piece.js";
import { scenery } from "./scenery.js";
import { seatIndex, seatName } from "./seat.js";

export class Board {
  /** @param {(move: string) => void} onPlay */
  constructor(onPlay) {
    this.onPlay = onPlay;
    this.element = s("svg", { class: "board", role: "group" });
    /** The cells by place. @type {Map<string, Cell>} */
    this.cells = new Map();
    this.shape = "";
    /** The lines drawn so far. @type {string[]} */
    this.drawn = [];
    this.known = "";
    /** @type {Scene | null} */
    this.scene = null;
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("pointerover", (event) => this.#aim(event.target));
    this.element.addEventListener("pointerleave", () => this.#aim(null));
  }

  /** @param {Scene} scene */
  show(scene) {
    const { board } = scene;
    const shape = JSON.stringify(board.layout);
    const isFresh = shape !== this.shape;
    if (isFresh) this.#build(board, shape);
    this.scene = scene;
    this.element.setAttribute("aria-label", scene.title);
    this.element.classList.toggle("yours", scene.mover !== null);
    const empty = board.cells.filter((cell) => !cell.owner);
    const some = board.cells.some((cell) => cell.move);
    // If only some empty cells are playable, they are highlighted.
    const highlights = !this.geometry?.falls && some && empty.some((cell) => !cell.move);
    const last = new Set(board.last.map(key));
    for (const view of board.cells) {
      const cell = this.cells.get(key(view.at));
      if (cell) this.#update(scene, cell, view, { isLast: last.has(key(view.at)), highlights, isFresh });
    }
    this.#drawBlocks(board);
    this.#drawLines(board);
    this.#keepFocusable();
  }

  /** Shows the rollback of a move. @param {string} text */
  rollBack(text) {
    const cell = [...this.cells.values()].find((cell) => cell.pending === text);
    if (!cell?.owner || !this.scene) return;
    const ghost = this.#piece(this.scene.board, seatIndex(cell.owner));
    ghost.classList.add("gone");
    cell.element.append(ghost);
    setTimeout(() => ghost.remove(), 900);
  }

  /** @param {BoardView} board @param {string} shape */
  #build(board, shape) {
    this.shape = shape;
    const places = board.cells.map((cell) => cell.at);
    const geometry = geometryOf(board.layout, places);
    this.geometry = geometry;
    this.cells.clear();
    this.element.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
    this.element.setAttribute("data-kind", geometry.kind);
    const { under, between } = scenery(geometry, board.layout);
    this.blocks = s("g", { class: "blocks" });
    this.lines = s("g", { class: "lines" });
    this.plumb = s("path", { class: "plumb" });
    const made = places.map((at) => makeCell(at, geometry, board.layout));
    made.sort((a, b) => a.spot.depth - b.spot.depth);
    const painted = s("g", { class: "cells" });
    let remaining = between;
    for (const cell of made) {
      // Elements further back than the cell are painted before it.
      painted.append(...remaining.filter((it) => it.depth <= cell.spot.depth).map((it) => it.element));
      remaining = remaining.filter((it) => it.depth > cell.spot.depth);
      painted.append(cell.element);
      this.cells.set(key(cell.at), cell);
    }
    const labels = geometry.labels.map(({ x, y, text }) =>
      s("text", { x, y, "font-size": geometry.type }, text),
    );
    this.element.replaceChildren(
      ...under,
      s("g", { class: "labels", "aria-hidden": "true" }, labels),
      this.blocks,
      this.plumb,
      painted,
      this.lines,
    );
    this.focused = null;
  }

  /** @param {BoardView} board @param {SeatIndex} seat */
  #piece(board, seat) {
    return this.geometry?.kind === "stacks" ? disc(board, seat) : piece(board, seat);
  }

  /**
   * @param {Scene} scene @param {Cell} cell @param {CellView} view
   * @param {{isLast: boolean, highlights: boolean, isFresh: boolean}} state
   */
  #update({ board, mover, pending, hints = [] }, cell, view, { isLast, highlights, isFresh }) {
    const own = pending && view.move === pending.text && !view.owner ? pending : null;
    const owner = view.owner ?? (own ? seatName(own.seat) : null);
    const move = mover !== null && !pending ? (view.move ?? null) : null;
    const classes = cell.element.classList;
    const look = owner ? `${owner} ${board.marks} ${board.first}` : move !== null ? `? ${mover} ${board.marks}` : "";
    if (cell.look !== look) {
      cell.element.querySelectorAll(":scope > .piece:not(.gone)").forEach((it) => it.remove());
      if (owner) {
        const drawn = this.#piece(board, seatIndex(owner));
        if (cell.owner !== owner && !isFresh) this.#enter(drawn, cell);
        cell.element.append(drawn);
      } else if (move !== null && mover !== null) {
        const ghost = this.#piece(board, mover);
        ghost.classList.add("ghost");
        cell.element.append(ghost);
      }
      cell.look = look;
    }
    cell.owner = owner;
    cell.move = move;
    cell.pending = own && own.text;
    classes.toggle("taken", owner !== null);
    classes.toggle("playable", move !== null);
    classes.toggle("open", highlights && view.move !== undefined);
    classes.toggle("last", isLast);
    classes.toggle("pending", own !== null);
    classes.toggle("hint", view.move !== undefined && hints.includes(view.move));
    cell.element.setAttribute("aria-disabled", String(move === null));
    const content = owner ? board.side_names[seatIndex(owner)] : "empty";
    const more = own ? ", sending" : isLast ? ", last move" : "";
    cell.element.setAttribute("aria-label", `${cell.name}, ${content}${more}`);
  }

  /** Animates a new piece. @param {SVGGElement} drawn @param {Cell} cell */
  #enter(drawn, cell) {
    drawn.classList.add("enters");
    if (this.geometry?.falls) drawn.style.setProperty("--fall", `${-(cell.spot.y / cell.spot.scale)}px`);
  }

  /** Marks the blocks that a seat owns by a full row. @param {BoardView} board */
  #drawBlocks(board) {
    const size = board.layout.kind === "grid" && board.layout.block;
    if (!size || !this.blocks || !this.lines) return;
    const owners = new Map(board.cells.map((cell) => [key(cell.at), cell.owner]));
    const marks = [];
    for (const block of this.geometry?.blocks ?? []) {
      const index = this.geometry?.blocks.indexOf(block) ?? 0;
      const across = Math.max(...board.cells.map((cell) => cell.at[0] + 1)) / size;
      const [left, low] = [(index % across) * size, Math.floor(index / across) * size];
      const owner = rowOwner(size, (x, y) => owners.get(key([left + x, low + y, 0])));
      if (!owner) continue;
      const [x, y] = [block.x + block.width / 2, block.y + block.height / 2];
      const seat = seatIndex(owner);
      marks.push(
        s("rect", { ...block, rx: 18, class: `won ${ink(board, seat)}` }),
        piece(board, seat, { class: "won", transform: `translate(${x} ${y}) scale(${size * 1.25})` }),
      );
    }
    this.blocks.replaceChildren(...marks);
    this.element.append(this.blocks, this.lines);
  }

  /** @param {BoardView} board */
  #drawLines(board) {
    const last = new Set(board.last.map(key));
    const drawn = board.lines.map(({ seat, places }) => {
      const points = places.map((place) => this.#centre(place));
      const d = `M${points.join("L")}`;
      const colour = ink(board, seatIndex(seat));
      return s(
        "g",
        { class: `line ${colour}${places.some((place) => last.has(key(place))) ? "" : " past"}` },
        s("path", { class: "halo", d, pathLength: 1 }),
        s("path", { class: "core", d, pathLength: 1 }),
      );
    });
    // Only new lines are animated.
    const lines = board.lines.map((line) => JSON.stringify(line));
    const known = lines.join() + last.size + [...last];
    if (this.known === known && this.lines?.childElementCount === drawn.length) return;
    lines.forEach((line, index) => {
      if (this.drawn.includes(line)) drawn[index].classList.add("old");
    });
    this.known = known;
    this.drawn = lines;
    this.lines?.replaceChildren(...drawn);
  }

  /** The centre of the piece on a cell. @param {Place} place */
  #centre(place) {
    const { x, y, scale } = /** @type {Cell} */ (this.cells.get(key(place))).spot;
    return this.geometry?.kind === "stacks" ? `${x} ${y - scale * (DISC.height - 6)}` : `${x} ${y}`;
  }

  /** The cell of an event's target. @param {EventTarget | null} target */
  #cellAt(target) {
    const element = target instanceof Element && target.closest(".cell");
    return element ? this.cells.get(element.getAttribute("data-at") ?? "") : undefined;
  }

  /** The cell that a click plays on: the one where the piece would fall. @param {EventTarget | null} target */
  #playedCell(target) {
    const cell = this.#cellAt(target);
    if (!cell || cell.move !== null || !this.geometry?.falls) return cell;
    const stacked = this.geometry.kind === "stacks";
    const same = (/** @type {Cell} */ other) =>
      other.at[0] === cell.at[0] && (!stacked || other.at[1] === cell.at[1]);
    return [...this.cells.values()].find((other) => same(other) && other.move !== null) ?? cell;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const cell = this.#playedCell(event.target);
    if (cell) this.#choose(cell);
  }

  /** @param {Cell} cell */
  #choose(cell) {
    this.#focus(cell);
    if (cell.move !== null) this.onPlay(cell.move);
  }

  /** Highlights the playable cell under the pointer. @param {EventTarget | null} target */
  #aim(target) {
    const cell = this.#playedCell(target);
    this.element.querySelector(".aim")?.classList.remove("aim");
    if (cell?.move) cell.element.classList.add("aim");
    this.#drawPlumb(cell);
  }

  /** In a board of layers, draws a line through the cells above and below. @param {Cell | undefined} cell */
  #drawPlumb(cell) {
    if (this.geometry?.kind !== "layers" || !this.plumb) return;
    const [x, y] = cell?.at ?? [];
    const column = [...this.cells.values()].filter(({ at }) => at[0] === x && at[1] === y);
    const points = column.map(({ spot }) => `${spot.x} ${spot.y}`);
    this.plumb.setAttribute("d", points.length ? `M${points.join("L")}` : "");
    for (const other of this.cells.values()) other.element.classList.toggle("above", column.includes(other));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const cell = this.#cellAt(event.target);
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#choose(this.#playedCell(event.target) ?? cell);
      return;
    }
    const playable = [...this.cells.values()].filter((other) => other.move !== null);
    const among = playable.length ? playable : [...this.cells.values()];
    const spots = among.filter((other) => other !== cell).map((other) => ({ ...other.spot, cell: other }));
    const found = next(cell.spot, spots, event.key);
    if (!found) {
      if (event.key.startsWith("Arrow")) event.preventDefault();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.#focus(found.cell);
  }

  /** @param {Cell} cell */
  #focus(cell) {
    this.focused = key(cell.at);
    this.#keepFocusable();
    cell.element.focus();
    this.#drawPlumb(cell);
  }

  /** The Tab key reaches one cell; the arrow keys lead to the others. */
  #keepFocusable() {
    const cells = [...this.cells.values()];
    const current = this.focused && this.cells.get(this.focused);
    const chosen = current ?? cells.find((cell) => cell.move !== null) ?? cells[0];
    for (const cell of cells) cell.element.setAttribute("tabindex", cell === chosen ? "0" : "-1");
  }
}

/**
 * @param {Place} at
 * @param {Geometry} geometry
 * @param {LayoutView} layout
 * @returns {Cell}
 */
function makeCell(at, geometry, layout) {
  const spot = geometry.spot(at);
  const element = s("g", { class: "cell", role: "button", transform: spot.matrix, "data-at": key(at) });
  const { height, rx, ry } = DISC;
  // The click area of the top cell includes the knob, that of the bottom cell the foot.
  const above = layout.kind === "stacks" && at[2] + 1 === layout.height ? KNOB.above + KNOB.radius : 0;
  const below = at[2] === 0 ? ry : 0;
  if (geometry.kind === "stacks") {
    element.append(
      s("rect", { class: "reach", x: -rx - 4, y: -height - above, width: 2 * rx + 8, height: height + above + below }),
      s("ellipse", { class: "ground", cy: -2, rx, ry }),
    );
  } else if (geometry.kind === "drop") {
    element.append(
      s("rect", { class: "reach", x: -CELL / 2, y: -CELL / 2, width: CELL, height: CELL }),
      s("circle", { class: "ground", r: 42 }),
    );
  } else {
    const inset = geometry.kind === "layers" ? 0 : 4;
    const size = CELL - 2 * inset;
    const rx = geometry.kind === "layers" ? 0 : 12;
    element.append(s("rect", { class: "ground", x: -size / 2, y: -size / 2, width: size, height: size, rx }));
  }
  return { at, spot, element, name: geometry.name(at), owner: null, move: null, pending: null };
}

/**
 * The owner of a full row, column or diagonal of a square.
 * @param {number} size
 * @param {(x: number, y: number) => SeatName | undefined} owner
 */
function rowOwner(size, owner) {
  const steps = [...Array(size).keys()];
  const rows = [
    ...steps.map((y) => steps.map((x) => owner(x, y))),
    ...steps.map((x) => steps.map((y) => owner(x, y))),
    steps.map((n) => owner(n, n)),
    steps.map((n) => owner(n, size - 1 - n)),
  ];
  return rows.find((row) => row[0] && row.every((it) => it === row[0]))?.[0] ?? null;
}

/**
 * A static board.
 * @param {BoardView} board
 */
export function preview(board) {
  const drawn = new Board(() => {});
  drawn.show({ board, title: "", mover: null, pending: null });
  const { element } = drawn;
  element.setAttribute("aria-hidden", "true");
  element.removeAttribute("role");
  element.querySelectorAll(".cell").forEach((cell) => {
    for (const name of ["role", "tabindex", "aria-label", "aria-disabled"]) cell.removeAttribute(name);
  });
  element.querySelector(".labels")?.remove();
  return element;
}

