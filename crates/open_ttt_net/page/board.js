// The board, drawn as SVG, to watch and to play on.

import { h, replace, s } from "./dom.js";
import { CELL, DISC, HALF_EDGE, HEXAGON, KNOB, geometryOf, key, next } from "./geometry.js";
import { disc, edge, ink, lookOf, piece, pieceName, usual } from "./piece.js";
import { scenery } from "./scenery.js";
import { seatIndex } from "./seat.js";
import { allCells, choicesOf, choose, selectionOf } from "./selection.js";

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
    /** The lines drawn so far. @type {string[]} */
    this.drawn = [];
    this.known = "";
    /** @type {Scene | null} */
    this.scene = null;
    /** The legal moves. @type {ChoiceView[]} */
    this.choices = [];
    /** The places chosen so far. @type {PathSelection} */
    this.selection = selectionOf([], []);
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("pointerover", (event) => this.#aim(event.target));
    this.element.addEventListener("pointerleave", () => this.#aim(null));
    this.bar.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#cancel();
    });
  }

  /** @param {Scene} scene */
  show(scene) {
    const { board, mover, pending } = scene;
    const shape = JSON.stringify([board.layout, traysOf(board).map(({ title }) => title)]);
    const isFresh = shape !== this.shape;
    if (isFresh) this.#build(board, shape);
    this.scene = scene;
    const choices = choicesOf(board);
    const isSame = JSON.stringify(choices) === JSON.stringify(this.choices);
    const path = isSame && mover !== null && !pending ? this.selection.path : [];
    this.choices = choices;
    this.selection = selectionOf(choices, path);
    this.element.setAttribute("aria-label", [scene.title, board.status].filter(Boolean).join(", "));
    this.element.classList.toggle("yours", mover !== null);
    this.#update(isFresh);
    this.#drawBlocks(board);
    this.#drawLines(board);
    this.#showBar();
    this.#keepFocusable();
  }

  /** Updates the cells. @param {boolean} isFresh whether the board was just built */
  #update(isFresh) {
    const { board, pending, hints = [] } = /** @type {Scene} */ (this.scene);
    const last = new Set(board.last.map(key));
    const placesOf = (/** @type {string[]} */ moves) =>
      new Set(this.choices.filter(({ move }) => moves.includes(move)).flatMap(({ path }) => path.map(key)));
    const state = {
      isFresh,
      highlights: this.#highlights(board),
      hints: placesOf(hints),
      pending: placesOf(pending ? [pending.text] : []),
    };
    for (const view of allCells(board)) {
      const cell = this.cells.get(key(view.at));
      if (cell) this.#updateCell(cell, view, { ...state, isLast: last.has(key(view.at)) });
    }
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
    cell.element.append(ghost);
    setTimeout(() => ghost.remove(), 900);
  }

  /** @param {BoardView} board @param {string} shape */
  #build(board, shape) {
    this.shape = shape;
    const views = allCells(board);
    const places = board.cells.map((cell) => cell.at);
    const geometry = geometryOf(board.layout, places, traysOf(board));
    this.geometry = geometry;
    this.cells.clear();
    this.element.setAttribute("viewBox", `0 0 ${geometry.width} ${geometry.height}`);
    this.element.setAttribute("data-kind", geometry.kind);
    const { under, between } = scenery(geometry, board);
    this.blocks = s("g", { class: "blocks" });
    this.lines = s("g", { class: "lines" });
    this.plumb = s("path", { class: "plumb" });
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
      this.blocks,
      this.plumb,
      painted,
      this.lines,
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
   * @param {{isFresh: boolean, isLast: boolean, highlights: boolean, hints: Set<string>, pending: Set<string>}} state
   */
  #updateCell(cell, view, { isFresh, isLast, highlights, hints, pending }) {
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
        cell.element.append(drawn);
      } else if (ghost) {
        const drawn = this.#piece(board, ghost, cell);
        drawn.classList.add("ghost");
        cell.element.append(drawn);
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
      cell.ground.setAttribute("class", `ground${tint && seat < 0 ? ` ${tint}` : ""}${seat < 0 ? "" : ` area ink-${board.colors[seat]}`}`);
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
    if (isChosen) parts.push("chosen");
    else if (isOpen && path.length) parts.push("can be chosen");
    cell.element.setAttribute("aria-label", parts.join(", "));
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
    const names = path.map((place) => this.cells.get(place)?.name ?? "");
    const parts = [
      board.status ? h("p", { class: "board-status" }, board.status) : null,
      isYours && path.length ? h("p", {}, `${names.join(", ")} …`) : null,
      isYours ? buttons.map(button) : null,
      isYours && path.length ? h("button", { type: "button", class: "quiet", id: "cancel-choice", onclick: () => this.#cancel() }, "Cancel") : null,
    ].flat();
    const look = JSON.stringify([board.status, isYours, path, buttons]);
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

  /** Animates a new piece. @param {SVGGElement} drawn @param {Cell} cell */
  #enter(drawn, cell) {
    drawn.classList.add("enters");
    if (this.geometry?.falls) drawn.style.setProperty("--fall", `${-(cell.spot.y / cell.spot.scale)}px`);
  }

  /** Marks the blocks whose cells all belong to a seat. @param {BoardView} board */
  #drawBlocks(board) {
    const size = board.layout.kind === "grid" && board.layout.block;
    if (!size || !this.blocks || !this.lines) return;
    const tints = new Map(board.cells.map((cell) => [key(cell.at), cell.tint]));
    const marks = [];
    for (const block of this.geometry?.blocks ?? []) {
      const index = this.geometry?.blocks.indexOf(block) ?? 0;
      const across = Math.max(...board.cells.map((cell) => cell.at[0] + 1)) / size;
      const [left, low] = [(index % across) * size, Math.floor(index / across) * size];
      const steps = [...Array(size).keys()];
      const within = steps.flatMap((x) => steps.map((y) => tints.get(key([left + x, low + y, 0]))));
      const seat = "ab".indexOf(within[0] ?? "-");
      if (seat < 0 || within.some((tint) => tint !== within[0])) continue;
      const [x, y] = [block.x + block.width / 2, block.y + block.height / 2];
      const owner = /** @type {SeatIndex} */ (seat);
      marks.push(
        s("rect", { ...block, rx: 18, class: `won ${ink(board, owner)}` }),
        piece(board, usual(board, owner), { class: "won", transform: `translate(${x} ${y}) scale(${size * 1.25})` }),
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
      const colour = seat ? ink(board, seatIndex(seat)) : "ink-gray";
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
    if (cell) this.#choose(cell);
  }

  /** @param {Cell} cell */
  #choose(cell) {
    this.#focus(cell);
    if (this.scene?.mover === null || this.scene?.pending) return;
    const chosen = choose(this.choices, this.selection.path, key(cell.at));
    if (!chosen) return;
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
    const playable = [...this.cells.values()].filter((other) => other.open);
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
    const chosen = current ?? cells.find((cell) => cell.open) ?? cells[0];
    for (const cell of cells) cell.element.setAttribute("tabindex", cell === chosen ? "0" : "-1");
  }
}

/** The trays, with their owners in their titles. @param {BoardView} board @returns {TrayView[]} */
const traysOf = (board) =>
  (board.trays ?? []).map((tray) => (tray.seat ? { ...tray, title: `${board.side_names[seatIndex(tray.seat)]}: ${tray.title}` } : tray));

/** The line of an edge between two dots; null for other cells. @param {Spot["form"]} form */
function edgePath(form) {
  const reach = HALF_EDGE - 15;
  if (form === "across") return `M${-reach} 0H${reach}`;
  return form === "upright" ? `M0 ${-reach}V${reach}` : null;
}

/**
 * The ground of a cell, and an area for clicks where that is larger.
 * @param {Spot} spot @param {Place} at @param {LayoutView} layout
 */
function groundOf({ form, scale }, at, layout) {
  const { height, rx, ry } = DISC;
  const square = (/** @type {number} */ size, /** @type {number} */ rx, kind = "ground") =>
    s("rect", { class: kind, x: -size / 2, y: -size / 2, width: size, height: size, rx });
  const edge = edgePath(form);
  if (edge) {
    const [long, wide] = [2 * HALF_EDGE - 24, 44];
    const [width, high] = form === "across" ? [long, wide] : [wide, long];
    return [s("rect", { class: "reach", x: -width / 2, y: -high / 2, width, height: high }), s("path", { class: "ground", d: edge })];
  }
  switch (form) {
    case "stack": {
      // The click area of the top cell includes the knob, that of the bottom cell the foot.
      const above = layout.kind === "stacks" && at[2] + 1 === layout.height ? KNOB.above + KNOB.radius : 0;
      const below = at[2] === 0 ? ry : 0;
      return [
        s("rect", { class: "reach", x: -rx - 4, y: -height - above, width: 2 * rx + 8, height: height + above + below }),
        s("ellipse", { class: "ground", cy: -2, rx, ry }),
      ];
    }
    case "hole":
      return [square(CELL, 0, "reach"), s("circle", { class: "ground", r: 42 })];
    case "tile":
      return [square(CELL, 0)];
    case "hexagon": {
      const [half, radius] = [CELL / 2 / scale, HEXAGON / scale];
      const d = `M0 ${-radius}L${half} ${-radius / 2}V${radius / 2}L0 ${radius}L${-half} ${radius / 2}V${-radius / 2}Z`;
      return [s("path", { class: "ground", d })];
    }
    case "point":
      return [s("circle", { class: "reach", r: 56 }), s("circle", { class: "ground", r: 13 })];
    case "dot":
      return [s("circle", { class: "reach", r: 22 }), s("circle", { class: "ground", r: 12 })];
    case "box":
      return [square((2 * HALF_EDGE - 26) / scale, 8)];
    case "slot":
      return [square(CELL - 6, 20)];
    default:
      return [square(CELL - 8, 12)];
  }
}

/**
 * @param {CellView} view
 * @param {Geometry} geometry
 * @param {LayoutView} layout
 * @returns {Cell}
 */
function makeCell({ at, label }, geometry, layout) {
  const spot = geometry.spot(at);
  const parts = groundOf(spot, at, layout);
  const element = s("g", { class: "cell", role: "button", transform: spot.matrix, "data-at": key(at), "data-form": spot.form }, parts);
  const middle = spot.form === "square" || spot.form === "slot" ? [-29, -29] : spot.form === "point" ? [26, 26] : [0, 0];
  const text = label ? s("text", { class: "cell-label", x: middle[0], y: middle[1], "font-size": 22, "aria-hidden": "true" }, label) : null;
  if (text) element.append(text);
  const ground = parts[parts.length - 1];
  const name = label || geometry.name(at);
  return { at, spot, element, ground, label: text, name, piece: null, open: false, pending: null };
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

