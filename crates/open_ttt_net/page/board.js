// A board to look at and to play on.

import { s } from "./dom.js";
import { CELL, DISC, KNOB, geometryOf, key, next } from "./geometry.js";
import { disc, ink, piece } from "./piece.js";
import { scenery } from "./scenery.js";

/** @typedef {0 | 1} Index of a seat */

/**
 * @typedef {object} Scene what to show
 * @property {any} board a `BoardView`
 * @property {string} title what the board is called
 * @property {Index | null} mover for whom a cell may be chosen; nobody if null
 * @property {{text: string, seat: Index} | null} hope a move that has no answer yet
 * @property {string[]} [hints] moves to point out
 */

export class Board {
  /** @param {(move: string) => void} onPlay */
  constructor(onPlay) {
    this.onPlay = onPlay;
    this.element = s("svg", { class: "board", role: "group" });
    /** @type {Map<string, any>} */
    this.cells = new Map();
    this.shape = "";
    /** The lines that have been drawn before. @type {string[]} */
    this.drawn = [];
    /** @type {Scene | null} */
    this.scene = null;
    this.element.addEventListener("click", (/** @type {MouseEvent} */ event) => this.#click(event));
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
    this.element.addEventListener("pointerover", (/** @type {PointerEvent} */ event) => this.#aim(event.target));
    this.element.addEventListener("pointerleave", () => this.#aim(null));
  }

  /** @param {Scene} scene */
  show(scene) {
    const { board } = scene;
    const shape = JSON.stringify(board.layout);
    const fresh = shape !== this.shape;
    if (fresh) this.#build(board, shape);
    this.scene = scene;
    this.element.setAttribute("aria-label", scene.title);
    this.element.classList.toggle("yours", scene.mover !== null);
    const empty = board.cells.filter((/** @type {any} */ cell) => !cell.owner);
    const some = board.cells.some((/** @type {any} */ cell) => cell.move);
    // Where not every free cell may be chosen, those that may are set off.
    const choosy = !this.geometry.falls && some && empty.some((/** @type {any} */ cell) => !cell.move);
    const last = new Set(board.last.map(key));
    for (const view of board.cells) {
      const cell = this.cells.get(key(view.at));
      if (cell) this.#update(cell, view, { last: last.has(key(view.at)), choosy, still: fresh });
    }
    this.#drawRows(board);
    this.#drawLines(board);
    this.#keepFocusable();
  }

  /** Shows that a move is taken back. @param {string} text */
  takeBack(text) {
    const cell = [...this.cells.values()].find((cell) => cell.hoped === text);
    if (!cell || !this.scene) return;
    const ghost = this.#piece(cell, "ab".indexOf(cell.hopedBy));
    ghost.classList.add("gone");
    cell.element.append(ghost);
    setTimeout(() => ghost.remove(), 900);
  }

  #build(/** @type {any} */ board, /** @type {string} */ shape) {
    this.shape = shape;
    const places = board.cells.map((/** @type {any} */ cell) => cell.at);
    const geometry = geometryOf(board.layout, places);
    this.geometry = geometry;
    this.cells.clear();
    this.element.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
    this.element.setAttribute("data-kind", geometry.kind);
    const { under, behind } = scenery(geometry, board.layout);
    this.rows = s("g", { class: "rows" });
    this.lines = s("g", { class: "lines" });
    this.plumb = s("path", { class: "plumb" });
    const made = places.map((/** @type {any} */ at) => this.#makeCell(at, geometry, board.layout));
    made.sort((/** @type {any} */ a, /** @type {any} */ b) => a.spot.depth - b.spot.depth);
    const painted = s("g", { class: "cells" });
    let standing = behind;
    for (const cell of made) {
      // What stands further back than a cell is painted before it.
      painted.append(...standing.filter((it) => it.depth <= cell.spot.depth).map((it) => it.element));
      standing = standing.filter((it) => it.depth > cell.spot.depth);
      painted.append(cell.element);
      this.cells.set(key(cell.at), cell);
    }
    const labels = geometry.labels.map(({ x, y, text }) =>
      s("text", { x, y, "font-size": geometry.type }, text),
    );
    this.element.replaceChildren(
      ...under,
      s("g", { class: "labels", "aria-hidden": "true" }, labels),
      this.rows,
      this.plumb,
      painted,
      this.lines,
    );
    this.focused = null;
  }

  #makeCell(/** @type {any} */ at, /** @type {any} */ geometry, /** @type {any} */ layout) {
    const spot = geometry.spot(at);
    const element = s("g", { class: "cell", role: "button", transform: spot.matrix, "data-at": key(at) });
    const { height, rx, ry } = DISC;
    // The highest reaches up to the end of the pole, the lowest to its foot.
    const above = at[2] + 1 === layout.height ? KNOB.above + KNOB.radius : 0;
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
    return { at, spot, element, owner: null, move: null, hoped: null, hopedBy: null, name: geometry.name(at) };
  }

  #piece(/** @type {any} */ cell, /** @type {any} */ seat) {
    const { board } = /** @type {Scene} */ (this.scene);
    return this.geometry?.kind === "stacks" ? disc(board, seat) : piece(board, seat);
  }

  #update(/** @type {any} */ cell, /** @type {any} */ view, /** @type {any} */ { last, choosy, still }) {
    const { board, mover, hope, hints = [] } = /** @type {Scene} */ (this.scene);
    const hoped = hope && view.move === hope.text && !view.owner ? hope : null;
    const owner = view.owner ?? (hoped ? "ab"[hoped.seat] : null);
    const playable = view.move !== undefined && mover !== null && !hope;
    const classes = cell.element.classList;
    const look = owner ? `${owner} ${board.marks} ${board.first}` : playable ? `? ${mover} ${board.marks}` : "";
    if (cell.look !== look) {
      const fresh = owner && cell.owner !== owner && !still;
      cell.element.querySelectorAll(":scope > .piece:not(.gone)").forEach((/** @type {any} */ it) => it.remove());
      if (owner || playable) {
        const drawn = this.#piece(cell, owner ? "ab".indexOf(owner) : mover);
        if (!owner) drawn.classList.add("ghost");
        else if (fresh) this.#enter(drawn, cell);
        cell.element.append(drawn);
      }
      cell.look = look;
    }
    cell.owner = owner;
    cell.move = playable ? view.move : null;
    cell.hoped = hoped ? hoped.text : null;
    cell.hopedBy = hoped ? owner : null;
    classes.toggle("taken", owner !== null);
    classes.toggle("playable", playable);
    classes.toggle("open", choosy && view.move !== undefined);
    classes.toggle("last", last);
    classes.toggle("hoped", hoped !== null);
    classes.toggle("hint", hints.includes(view.move));
    cell.element.setAttribute("aria-disabled", String(!playable));
    const what = owner ? board.side_names["ab".indexOf(owner)] : "empty";
    const more = hoped ? ", being sent" : last ? ", last move" : "";
    cell.element.setAttribute("aria-label", `${cell.name}, ${what}${more}`);
  }

  /** A piece that was not there before comes in. */
  #enter(/** @type {any} */ drawn, /** @type {any} */ cell) {
    drawn.classList.add("enters");
    if (this.geometry?.falls) drawn.style.setProperty("--fall", `${-(cell.spot.y / cell.spot.scale)}px`);
  }

  /** Within the blocks of a board, a full row shows whose the block is. */
  #drawRows(/** @type {any} */ board) {
    const size = board.layout.block;
    if (!size || !this.rows) return;
    const owners = new Map(board.cells.map((/** @type {any} */ cell) => [key(cell.at), cell.owner]));
    const marks = [];
    for (const block of this.geometry?.blocks ?? []) {
      const index = this.geometry?.blocks.indexOf(block) ?? 0;
      const across = Math.max(...board.cells.map((/** @type {any} */ cell) => cell.at[0] + 1)) / size;
      const [left, low] = [(index % across) * size, Math.floor(index / across) * size];
      const owner = rowOwner(size, (x, y) => owners.get(key([left + x, low + y, 0])));
      if (!owner) continue;
      const [x, y] = [block.x + block.width / 2, block.y + block.height / 2];
      const seat = /** @type {Index} */ ("ab".indexOf(owner));
      marks.push(
        s("rect", { ...block, rx: 18, class: `won ${ink(board, seat)}` }),
        piece(board, seat, { class: "won", transform: `translate(${x} ${y}) scale(${size * 1.25})` }),
      );
    }
    this.rows.replaceChildren(...marks);
    this.element.append(this.rows, this.lines);
  }

  #drawLines(/** @type {any} */ board) {
    const last = new Set(board.last.map(key));
    const drawn = board.lines.map((/** @type {any} */ { seat, places }) => {
      const points = places.map((/** @type {any} */ place) => this.#middle(place));
      const d = `M${points.join("L")}`;
      const colour = ink(board, /** @type {Index} */ ("ab".indexOf(seat)));
      return s(
        "g",
        { class: `line ${colour}${places.some((/** @type {any} */ place) => last.has(key(place))) ? "" : " past"}` },
        s("path", { class: "halo", d, pathLength: 1 }),
        s("path", { class: "core", d, pathLength: 1 }),
      );
    });
    // Those that were there stay, so that only a new line is seen to be drawn.
    const lines = board.lines.map((/** @type {any} */ line) => JSON.stringify(line));
    const known = lines.join() + last.size + [...last];
    if (this.known === known && this.lines?.childElementCount === drawn.length) return;
    lines.forEach((/** @type {string} */ line, /** @type {number} */ index) => {
      if (this.drawn.includes(line)) drawn[index].classList.add("old");
    });
    this.known = known;
    this.drawn = lines;
    this.lines?.replaceChildren(...drawn);
  }

  /** The middle of the piece on a cell. */
  #middle(/** @type {any} */ place) {
    const { x, y, scale } = this.cells.get(key(place)).spot;
    return this.geometry?.kind === "stacks" ? `${x} ${y - scale * (DISC.height - 6)}` : `${x} ${y}`;
  }

  /** The cell that is meant by pointing at one: where the piece would fall. */
  #meant(/** @type {any} */ target) {
    const element = target?.closest?.(".cell");
    const cell = element && this.cells.get(element.getAttribute("data-at"));
    if (!cell || cell.move !== null || !this.geometry?.falls) return cell ?? null;
    const stacked = this.geometry.kind === "stacks";
    const same = (/** @type {any} */ other) =>
      other.at[0] === cell.at[0] && (!stacked || other.at[1] === cell.at[1]);
    return [...this.cells.values()].find((other) => same(other) && other.move !== null) ?? cell;
  }

  #click(/** @type {MouseEvent} */ event) {
    const cell = this.#meant(event.target);
    if (cell) this.#choose(cell);
  }

  #choose(/** @type {any} */ cell) {
    this.#focus(cell);
    if (cell.move !== null) this.onPlay(cell.move);
  }

  #aim(/** @type {any} */ target) {
    const cell = this.#meant(target);
    this.element.querySelector(".aim")?.classList.remove("aim");
    if (cell?.move) cell.element.classList.add("aim");
    this.#dropPlumb(cell);
  }

  /** In a board of layers, a line through the cells above and below. */
  #dropPlumb(/** @type {any} */ cell) {
    if (this.geometry?.kind !== "layers" || !this.plumb) return;
    const [x, y] = cell?.at ?? [];
    const column = [...this.cells.values()].filter(({ at }) => at[0] === x && at[1] === y);
    const points = column.map(({ spot }) => `${spot.x} ${spot.y}`);
    this.plumb.setAttribute("d", points.length ? `M${points.join("L")}` : "");
    for (const other of this.cells.values()) other.element.classList.toggle("above", column.includes(other));
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const cell = this.#meantByKey(event.target);
    if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#choose(this.#meant(event.target));
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

  #meantByKey(/** @type {any} */ target) {
    const element = target?.closest?.(".cell");
    return element && this.cells.get(element.getAttribute("data-at"));
  }

  #focus(/** @type {any} */ cell) {
    this.focused = key(cell.at);
    this.#keepFocusable();
    cell.element.focus();
    this.#dropPlumb(cell);
  }

  /** One cell is reached by the tabulator, the others from there by arrows. */
  #keepFocusable() {
    const cells = [...this.cells.values()];
    const current = this.focused && this.cells.get(this.focused);
    const chosen = current ?? cells.find((cell) => cell.move !== null) ?? cells[0];
    for (const cell of cells) cell.element.setAttribute("tabindex", cell === chosen ? "0" : "-1");
  }
}

/**
 * Whose pieces fill a straight row of a square.
 * @param {number} size
 * @param {(x: number, y: number) => string | null | undefined} owner
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
 * A board to look at only.
 * @param {any} board a `BoardView`
 */
export function preview(board) {
  const drawn = new Board(() => {});
  drawn.show({ board, title: "", mover: null, hope: null });
  const { element } = drawn;
  element.setAttribute("aria-hidden", "true");
  element.removeAttribute("role");
  element.querySelectorAll(".cell").forEach((/** @type {Element} */ cell) => {
    for (const name of ["role", "tabindex", "aria-label", "aria-disabled"]) cell.removeAttribute(name);
  });
  element.querySelector(".labels")?.remove();
  return element;
}

