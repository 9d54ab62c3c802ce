// The board, drawn as SVG, to watch and to play on.

import { edgePath, makeCell } from "./cell.js";
import { h, replace, s } from "./dom.js";
import { CELL, DISC, geometryOf, key, next } from "./geometry.js";
import { BoardMarks } from "./marks.js";
import { disc, edge, ink, lookOf, piece, pieceName, usual } from "./piece.js";
import { scenery } from "./scenery.js";
import { seatIndex } from "./seat.js";
import { allCells, choicesOf, choose, selectionOf } from "./selection.js";
import { worthKind, worthSign, worthText } from "./worth.js";

/** How long a new piece takes to appear, and at least to fall, in milliseconds. */
const POP_TIME = 220;
const FALL_TIME = 260;

/** Cells of less than this size are hard to hit with a finger, in CSS pixels. */
const FINGER = 30;

/** Whether a cell is hard to hit with a finger. @param {Cell} cell */
const isSmall = ({ ground }) => {
  const { width, height } = ground.getBoundingClientRect();
  return Math.max(width, height) < FINGER;
};

/** Whether pieces move. */
const moves = () => !matchMedia("(prefers-reduced-motion: reduce)").matches && !document.hidden;

export class Board {
  /**
   * @param {(move: string) => void} onPlay
   * @param {(text: string) => void} [say] announces what is chosen
   */
  constructor(onPlay, say = () => {}) {
    this.onPlay = onPlay;
    this.say = say;
    this.element = s("svg", { class: "board", role: "group" });
    /** The status, and the buttons of moves that the cells don't tell. */
    this.bar = h("div", { class: "choices", role: "group", "aria-label": "Choices" });
    /** The cells by place. @type {Map<string, Cell>} */
    this.cells = new Map();
    this.shape = "";
    this.barLook = "";
    this.marks = new BoardMarks();
    /** Shows which cell has the focus. */
    this.ring = s("g", { class: "ring" });
    /** @type {Scene | null} */
    this.scene = null;
    /** When the last new piece comes to rest, on the clock of `performance`. */
    this.restsAt = 0;
    /** The legal moves. @type {ChoiceView[]} */
    this.choices = [];
    /** The places chosen so far. @type {PathSelection} */
    this.selection = selectionOf([], []);
    /** A small cell that was touched once: its move is to be confirmed. @type {Cell | null} */
    this.touched = null;
    /** Whether somebody wants to see the board from the other side. */
    this.isReversed = false;
    this.turnButton = h(
      "button",
      { type: "button", class: "quiet", "aria-label": "Turn the board", "aria-pressed": "false", hidden: true, onclick: () => this.#turn() },
      s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: "M6 3l4 5H7v9H5V8H2zM14 17l-4-5h3V3h2v9h3z" })),
    );
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focusin", (event) => this.#ring(this.#cellAt(event.target)));
    this.element.addEventListener("pointerover", (event) => this.#aim(event.target));
    this.element.addEventListener("pointerleave", () => this.#aim(null));
    this.bar.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#cancel();
    });
  }

  /** @param {Scene} scene */
  show(scene) {
    const { board, mover, pending } = scene;
    const isTurned = (scene.isTurned ?? false) !== this.isReversed;
    const shape = JSON.stringify([board.layout, traysOf(board).map(({ title }) => title), isTurned]);
    const isFresh = shape !== this.shape;
    if (isFresh) this.#build(board, shape, isTurned);
    const geometry = /** @type {Geometry} */ (this.geometry);
    this.scene = scene;
    const choices = choicesOf(board);
    const isSame = JSON.stringify(choices) === JSON.stringify(this.choices);
    const goesOn = isSame && mover !== null && !pending;
    const path = goesOn ? this.selection.path : [];
    this.choices = choices;
    // Leaves room for the bar from then on, so that the board keeps its size.
    if (choices.some(({ path, label }) => path.length > (label ? 0 : 1))) this.element.classList.add("with-bar");
    this.selection = selectionOf(choices, path);
    if (!goesOn) this.#touch(null);
    this.element.setAttribute("aria-label", [scene.title, board.status].filter(Boolean).join(", "));
    this.element.classList.toggle("yours", mover !== null);
    this.#update(isFresh);
    this.marks.show(board, this.cells, geometry);
    this.#showBar();
    this.#keepFocusable();
  }

  /** Shows the board from the other side. */
  #turn() {
    this.isReversed = !this.isReversed;
    this.turnButton.setAttribute("aria-pressed", `${this.isReversed}`);
    if (this.scene) this.show(this.scene);
  }

  /** Updates the cells. @param {boolean} isFresh whether the board was just built */
  #update(isFresh) {
    const { board, pending, hints = [], values = [] } = /** @type {Scene} */ (this.scene);
    const last = new Set(board.last.map(key));
    const placesOf = (/** @type {string[]} */ moves) =>
      new Set(this.choices.filter(({ move }) => moves.includes(move)).flatMap(({ path }) => path.map(key)));
    const state = {
      isFresh,
      highlights: this.#highlights(board),
      hints: placesOf(hints),
      pending: placesOf(pending ? [pending.text] : []),
      worths: this.#worths(values),
    };
    for (const view of allCells(board)) {
      const cell = this.cells.get(key(view.at));
      if (cell) this.#updateCell(cell, view, { ...state, isLast: last.has(key(view.at)) });
    }
  }

  /** The best value that choosing each place next can lead to. @param {MoveWorth[]} values the best first */
  #worths(values) {
    const { path } = this.selection;
    const worths = new Map();
    for (const worth of values) {
      const choice = this.choices.find(({ move }) => move === worth.move);
      const place = choice && path.every((at, index) => key(choice.path[index] ?? []) === at) ? choice.path[path.length] : undefined;
      if (place && !worths.has(key(place))) worths.set(key(place), worth);
    }
    return worths;
  }

  /** Whether the places to choose are highlighted: if they aren't simply the empty cells. @param {BoardView} board */
  #highlights(board) {
    const { next, path } = this.selection;
    if (this.geometry?.falls || !next.size) return false;
    const forms = new Set([...next].map((place) => this.cells.get(place)?.spot.form));
    const isOpen = (/** @type {CellView} */ view) => next.has(key(view.at));
    const isEmpty = (/** @type {CellView} */ view) => !view.owner && !view.piece;
    const alike = allCells(board).filter((view) => forms.has(this.cells.get(key(view.at))?.spot.form));
    return path.length > 0 || alike.some((view) => isOpen(view) !== isEmpty(view));
  }

  /** Shows the rollback of a move. @param {string} text */
  rollBack(text) {
    const cell = [...this.cells.values()].find((cell) => cell.pending === text);
    if (!cell?.piece || !this.scene) return;
    const ghost = this.#piece(this.scene.board, cell.piece, cell);
    ghost.classList.add("gone");
    cell.element.insertBefore(ghost, cell.front);
    setTimeout(() => ghost.remove(), 900);
  }

  /** @param {BoardView} board @param {string} shape @param {boolean} isTurned */
  #build(board, shape, isTurned) {
    this.shape = shape;
    const views = allCells(board);
    const places = board.cells.map((cell) => cell.at);
    const geometry = geometryOf(board.layout, places, traysOf(board), isTurned);
    this.geometry = geometry;
    this.turnButton.hidden = !geometry.turns;
    this.cells.clear();
    this.touched = null;
    this.element.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
    this.element.setAttribute("data-kind", geometry.kind);
    this.element.classList.remove("with-bar");
    const { under, between, over } = scenery(geometry, board);
    this.plumb = s("path", { class: "plumb" });
    this.crosshair = s("path", { class: "plumb" });
    const made = views.map((view) => makeCell(view, geometry, board.layout));
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
      this.plumb,
      painted,
      this.crosshair,
      ...over,
      this.marks.element,
      this.ring,
    );
    this.focused = null;
  }

  /**
   * A piece as it looks on a cell.
   * @param {BoardView} board @param {Look} look @param {Cell} cell
   */
  #piece(board, look, { spot }) {
    if (spot.form === "stack") return disc(board, look);
    const path = edgePath(spot.form);
    return path ? edge(look, path) : piece(board, look);
  }

  /**
   * @param {Cell} cell @param {CellView} view
   * @param {{isFresh: boolean, isLast: boolean, highlights: boolean, hints: Set<string>, pending: Set<string>, worths: Map<string, MoveWorth>}} state
   */
  #updateCell(cell, view, { isFresh, isLast, highlights, hints, pending, worths }) {
    const { board, mover, pending: sent } = /** @type {Scene} */ (this.scene);
    const { path, next } = this.selection;
    const at = key(view.at);
    const own = sent && view.move === sent.text && !lookOf(board, view) ? sent : null;
    const shown = lookOf(board, view) ?? (own ? usual(board, own.seat) : null);
    const isOpen = mover !== null && !sent && next.has(at);
    const isChosen = path.includes(at);
    const ghost = isOpen && !shown ? this.#ghost(board, view) : null;
    const classes = cell.element.classList;
    const look = JSON.stringify([shown, ghost, board.first]);
    if (cell.look !== look) {
      cell.element.querySelectorAll(":scope > .piece:not(.gone)").forEach((it) => it.remove());
      if (shown) {
        const drawn = this.#piece(board, shown, cell);
        if (JSON.stringify(cell.piece) !== JSON.stringify(shown) && !isFresh) this.#enter(drawn, cell);
        cell.element.insertBefore(drawn, cell.front);
      } else if (ghost) {
        const drawn = this.#piece(board, ghost, cell);
        drawn.classList.add("ghost");
        cell.element.insertBefore(drawn, cell.front);
      }
      cell.look = look;
    }
    cell.piece = shown;
    cell.open = isOpen;
    cell.pending = own && own.text;
    const tint = view.tint ?? "";
    if (cell.tint !== tint) {
      cell.tint = tint;
      const seat = /** @type {SeatIndex} */ ("ab".indexOf(tint || "-"));
      cell.element.querySelector(".owner-mark")?.remove();
      if (seat >= 0) cell.element.append(s("g", { class: "owner-mark", transform: "scale(0.3)" }, piece(board, usual(board, seat))));
      cell.ground.setAttribute("class", `ground${tint && seat < 0 ? ` ${tint}` : ""}${seat < 0 ? "" : ` area ${ink(board, seat)}`}`);
    }
    cell.label?.classList.toggle("covered", shown !== null);
    classes.toggle("taken", shown !== null);
    classes.toggle("playable", isOpen);
    classes.toggle("open", highlights && next.has(at));
    classes.toggle("chosen", isChosen);
    classes.toggle("last", isLast);
    classes.toggle("pending", own !== null || pending.has(at));
    classes.toggle("hint", hints.has(at));
    cell.element.setAttribute("aria-disabled", String(!isOpen && !isChosen));
    const isEdge = edgePath(cell.spot.form) !== null;
    const content = shown ? (isEdge ? "drawn" : pieceName(board, shown)) : isEdge ? "not drawn" : "empty";
    const seat = "ab".indexOf(view.tint ?? "-");
    const parts = [cell.name, content];
    if (seat >= 0 && shown?.seat !== seat) parts.push(`belongs to ${board.side_names[seat]}`);
    if (view.tint === "marked") parts.push("marked");
    if (own) parts.push("sending");
    else if (isLast) parts.push("last move");
    const worth = worths.get(at);
    this.#showWorth(cell, worth);
    if (worth) parts.push(worthText(worth));
    if (isChosen) parts.push("chosen");
    else if (isOpen && path.length) parts.push("can be chosen");
    cell.element.setAttribute("aria-label", parts.join(", "));
  }

  /** Writes a value on a cell. @param {Cell} cell @param {MoveWorth | undefined} worth */
  #showWorth({ element, spot }, worth) {
    element.querySelector(".worth")?.remove();
    const sign = worth ? worthSign(worth) : "";
    if (!worth || !sign) return;
    const y = spot.form === "stack" ? -DISC.height / 2 : 0;
    element.append(s("text", { class: `worth ${worthKind(worth)}`, y, "font-size": sign.length > 2 ? 32 : 38, "aria-hidden": "true" }, sign));
  }

  /** The piece that choosing an empty cell would put there, if that is known. @param {BoardView} board @param {CellView} view */
  #ghost(board, view) {
    const { mover } = /** @type {Scene} */ (this.scene);
    const { path } = this.selection;
    if (!path.length) return view.move === undefined || mover === null ? null : usual(board, mover);
    const from = this.cells.get(path[0])?.piece;
    return from ? { ...from, count: 1 } : null;
  }

  /** Shows the status, and buttons for what no cell chooses. */
  #showBar() {
    const { board, mover, pending } = /** @type {Scene} */ (this.scene);
    const { path, buttons } = this.selection;
    const isYours = mover !== null && !pending;
    const button = (/** @type {ChoiceView} */ { move, label }) =>
      h("button", { type: "button", "data-move": move, onclick: () => this.#play(move) }, label ?? move);
    const { touched } = this;
    const names = path.map((place) => this.cells.get(place)?.name ?? "");
    const parts = [
      board.status ? h("p", { class: "board-status" }, board.status) : null,
      isYours && path.length ? h("p", {}, `${names.join(", ")} …`) : null,
      isYours && touched ? h("button", { type: "button", class: "main", id: "confirm", onclick: () => this.#choose(touched) }, `Choose ${touched.name}`) : null,
      isYours ? buttons.map(button) : null,
      isYours && path.length ? h("button", { type: "button", class: "quiet", id: "cancel-choice", onclick: () => this.#cancel() }, "Cancel") : null,
    ].flat();
    const look = JSON.stringify([board.status, isYours, path, buttons, touched?.at]);
    if (look === this.barLook) return;
    this.barLook = look;
    this.bar.hidden = !parts.some(Boolean);
    replace(this.bar, ...parts);
  }

  /** @param {string} move */
  #play(move) {
    this.selection = selectionOf(this.choices, []);
    this.onPlay(move);
    this.#refresh();
  }

  /** Takes back all chosen places. */
  #cancel() {
    this.#touch(null);
    if (!this.selection.path.length) return;
    this.selection = selectionOf(this.choices, []);
    this.#refresh();
    this.say("Nothing is chosen.");
  }

  #refresh() {
    if (!this.scene) return;
    this.#update(false);
    this.#showBar();
    this.#keepFocusable();
  }

  /** How long the newest pieces still move, in milliseconds. */
  get movesFor() {
    return Math.max(0, this.restsAt - performance.now());
  }

  /** Animates a new piece. @param {SVGGElement} drawn @param {Cell} cell */
  #enter(drawn, cell) {
    if (!moves()) return;
    drawn.classList.add("enters");
    let time = POP_TIME;
    if (this.geometry?.falls && cell.spot.form !== "slot") {
      // From above the board; a fall of a quarter of the height takes half of the time.
      const height = (cell.spot.y + CELL / 2) / cell.spot.scale;
      time = FALL_TIME * (1 + Math.sqrt(height / this.geometry.height));
      drawn.style.setProperty("--fall", `${-height}px`);
    }
    drawn.style.setProperty("--time", `${time}ms`);
    this.restsAt = performance.now() + time;
  }

  /** The cell of an event's target. @param {EventTarget | null} target */
  #cellAt(target) {
    const element = target instanceof Element && target.closest(".cell");
    return element ? this.cells.get(element.getAttribute("data-at") ?? "") : undefined;
  }

  /** The cell that a click chooses: the one where the piece would fall. @param {EventTarget | null} target */
  #playedCell(target) {
    const cell = this.#cellAt(target);
    if (!cell || cell.open || !this.geometry?.falls || cell.spot.form === "slot") return cell;
    const stacked = this.geometry.kind === "stacks";
    const same = (/** @type {Cell} */ other) =>
      other.spot.form !== "slot" && other.at[0] === cell.at[0] && (!stacked || other.at[1] === cell.at[1]);
    return [...this.cells.values()].find((other) => same(other) && other.open) ?? cell;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const cell = this.#playedCell(event.target);
    const isTouch = "pointerType" in event && event.pointerType === "touch";
    if (cell?.open && cell !== this.touched && isTouch && isSmall(cell)) {
      this.#touch(cell);
      this.#showBar();
      this.say(`${cell.name}. Touch again to choose it.`);
    } else if (cell) this.#choose(cell);
  }

  /** Points at a cell whose choice is to be confirmed. @param {Cell | null} cell */
  #touch(cell) {
    this.touched?.element.classList.remove("touched", "aim");
    this.touched = cell;
    cell?.element.classList.add("touched", "aim");
    const { width = 0, height = 0 } = this.geometry ?? {};
    this.crosshair?.setAttribute("d", cell ? `M0 ${cell.spot.y}H${width}M${cell.spot.x} 0V${height}` : "");
  }

  /** @param {Cell} cell */
  #choose(cell) {
    this.#touch(null);
    this.#focus(cell);
    if (this.scene?.mover === null || this.scene?.pending) return;
    const chosen = choose(this.choices, this.selection.path, key(cell.at));
    if (!chosen) return this.say(`${cell.name} can't be chosen.`);
    if (chosen.move !== null) return this.#play(chosen.move);
    this.selection = chosen;
    this.#refresh();
    const { path, next, buttons } = chosen;
    if (!path.length) return this.say("Nothing is chosen.");
    const names = [...next].map((place) => this.cells.get(place)?.name);
    this.say(`${cell.name} chosen. Next: ${[...names, ...buttons.map(({ label }) => label)].join(", ")}.`);
  }

  /** Highlights the playable cell under the pointer. @param {EventTarget | null} target */
  #aim(target) {
    const cell = this.#playedCell(target);
    this.element.querySelector(".aim")?.classList.remove("aim");
    if (cell?.open) cell.element.classList.add("aim");
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
    if (event.key === "Escape") return this.#cancel();
    if (this.pressLabel(event.key)) return event.preventDefault();
    // With Shift to what can be chosen, without to every cell.
    const among = [...this.cells.values()].filter((other) => other !== cell && (other.open || !event.shiftKey));
    const found = next(cell.spot, among.map((other) => ({ ...other.spot, cell: other })), event.key);
    if (!found) {
      if (event.key.startsWith("Arrow")) event.preventDefault();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.#focus(found.cell);
  }

  /**
   * Plays in the column or on the pole with this label, where pieces fall.
   * @param {string} label
   * @returns {boolean} whether there is one
   */
  pressLabel(label) {
    const { layout } = this.scene?.board ?? {};
    const isCalled = (/** @type {string} */ name) => label.length === 1 && name.toLowerCase() === label.toLowerCase();
    let isIn = (/** @type {Place} */ _) => false;
    if (layout?.kind === "grid" && this.geometry?.falls) isIn = ([x]) => isCalled(layout.columns[x] ?? "");
    if (layout?.kind === "stacks") isIn = ([x, y]) => layout.stacks.some((stack) => isCalled(stack.label) && stack.x === x && stack.y === y);
    const cells = [...this.cells.values()].filter((cell) => cell.spot.form !== "slot" && isIn(cell.at));
    if (!cells.length) return false;
    const open = cells.find((cell) => cell.open);
    if (open) this.#choose(open);
    else this.say(this.scene?.mover === null ? "It's not your turn." : `${label.toUpperCase()} is full.`);
    return true;
  }

  /** Points at one of the lines that scored, or at none. @param {number | null} line */
  point(line) {
    this.marks.point(line);
  }

  /** The name of a place in few characters: `b2`. @param {Place} place */
  shortName(place) {
    return this.geometry?.shortName(place) ?? "";
  }

  /** Puts the focus on the board. */
  focus() {
    /** @type {SVGElement | null} */ (this.element.querySelector('.cell[tabindex="0"]'))?.focus();
  }

  /** Where the mover has to play, if that is one block of many: `Play in the top left board.` */
  get advice() {
    if (this.scene?.mover === null) return "";
    const { blocks = [] } = this.geometry ?? {};
    const { next } = this.selection;
    const inside = blocks.filter(({ x, y, size }) =>
      [...next].some((place) => {
        const { spot } = /** @type {Cell} */ (this.cells.get(place));
        return spot.x > x && spot.x < x + size && spot.y > y && spot.y < y + size;
      }),
    );
    return blocks.length > 1 && inside.length === 1 ? `Play in the ${inside[0].name} board.` : "";
  }

  /** Draws the ring around a cell, twice for its two colours. @param {Cell | undefined} cell */
  #ring(cell) {
    if (!cell) return;
    // The area for clicks is larger than the ground, but not round where that is a hole.
    const shape = cell.spot.form === "hole" ? cell.ground : cell.element.firstElementChild ?? cell.ground;
    const lines = [0, 1].map(() => /** @type {Element} */ (shape.cloneNode()));
    for (const line of lines) line.removeAttribute("class");
    this.ring.setAttribute("transform", cell.spot.matrix);
    replace(this.ring, lines);
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
    const chosen = current ?? cells.find((cell) => cell.open) ?? cells[0];
    for (const cell of cells) cell.element.setAttribute("tabindex", cell === chosen ? "0" : "-1");
  }
}

/** The trays, with their owners in their titles. @param {BoardView} board @returns {TrayView[]} */
const traysOf = (board) =>
  (board.trays ?? []).map((tray) => (tray.seat ? { ...tray, title: `${board.side_names[seatIndex(tray.seat)]}: ${tray.title}` } : tray));

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

