// The analysis board: moves of both sides tried out, with values and branches.

import * as api from "./api.js";
import { analysisPath, showAddress } from "./links.js";
import { Board } from "./board.js";
import { gameKey, gameOf, games } from "./catalog.js";
import { byId, h, replace, setDisabled, write } from "./dom.js";
import { lineFrom, movesTo, newTree, play, remove, rootOf, step } from "./move-tree.js";
import { moveButton } from "./moves.js";
import { announce, messageOf, toastError } from "./notifications.js";
import { PlayOn } from "./play-on.js";
import { opponent, seatIndex } from "./seat.js";
import { linkField } from "./share.js";
import { stepButtons } from "./steps.js";
import { evaluationBar, positionText } from "./worth.js";

/** @typedef {import("./move-tree.js").MoveNode} MoveNode */

/** The number of colours by which branches are told apart. */
const COLOURS = 6;

export class AnalysisPage {
  /** @param {HTMLElement} root @param {{game: string, moves: string[]}} position */
  constructor(root, { game, moves }) {
    this.root = root;
    this.game = game;
    /** The position that is shown. */
    this.at = moves.reduce(play, newTree());
    /** The positions by their moves. @type {Map<string, Promise<PositionBoard>>} */
    this.positions = new Map();
    /** The position on the board; another one may be on its way. @type {MoveNode | null} */
    this.drawn = null;
    this.board = new Board((move) => this.#play(move), announce);
    this.heading = h("h1", {}, "Analysis");
    this.status = h("p", { class: "status", role: "status" }, "Loading the position…");
    this.tick = h("input", { type: "checkbox", id: "values", checked: true, onchange: () => this.#show() });
    this.bar = h("div", {});
    this.text = h("p", { class: "analysis" });
    // It has the focus where no move has it.
    this.tree = h("div", { class: "tree", tabindex: -1 });
    this.removal = h("button", { type: "button", class: "quiet", id: "remove", onclick: () => this.at.parent && this.#go(remove(this.at)) }, "Remove this move");
    this.link = linkField({ url: "", label: "Link to this position", title: "A position" });
    this.playOn = new PlayOn();
    /** Ends the search for values of a position that isn't shown any more. */
    this.search = new AbortController();
  }

  async open() {
    document.title = "Analysis – open_ttt";
    try {
      // The link's own moves are shown as the game writes them.
      const position = await api.position(this.game, movesTo(this.at));
      this.at = position.moves.reduce(play, newTree());
      this.positions.set(position.moves.join(" "), Promise.resolve(position));
    } catch (error) {
      return this.#fail(error);
    }
    const side = h(
      "div",
      { class: "side analysis-board" },
      this.heading,
      this.status,
      stepButtons((key) => this.#go(step(this.at, key)), this.board.turnButton),
      h("label", { class: "tick", for: "values" }, this.tick, h("span", {}, "Show values")),
      this.bar,
      this.text,
      h("section", { class: "card record", "aria-labelledby": "tried" }, h("h2", { id: "tried" }, "Moves"), this.tree, h("div", { class: "row" }, this.removal)),
      this.playOn.element,
      h("details", { class: "more links" }, h("summary", {}, "Share this position"), this.link.element),
      h("div", { class: "row" }, h("a", { class: "button quiet", href: "/" }, "All games")),
    );
    const stage = h("section", { class: "stage", "aria-label": "Board" }, h("div", { class: "frame" }, this.board.element, this.board.bar));
    replace(this.root, h("div", { class: "match" }, stage, side));
    document.addEventListener("keydown", (event) => this.#key(event));
    const skip = byId("skip");
    write(skip, "Skip to the board");
    skip.addEventListener("click", (event) => {
      event.preventDefault();
      this.board.focus();
    });
    this.#go(this.at);
    const list = await games().catch(() => []);
    write(this.heading, `Analysis: ${gameOf(list, this.game)?.title ?? gameKey(this.game)}`);
  }

  /** @param {unknown} error */
  #fail(error) {
    const home = h("a", { class: "button main", href: "/" }, "All games");
    replace(this.root, h("div", { class: "card lone" }, h("h1", {}, "Can't open this position."), h("p", {}, messageOf(error)), home));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, .cell")) return;
    if (!/^(Arrow(Left|Right|Up|Down)|Home|End)$/.test(event.key)) return;
    // Without branches these keys scroll.
    if (/Up|Down/.test(event.key) && (this.at.parent?.children.length ?? 0) < 2) return;
    event.preventDefault();
    this.#go(step(this.at, event.key));
  }

  /** Tries out a move, which is one of the position on the board. @param {string} move */
  #play(move) {
    if (this.drawn === this.at) this.#go(play(this.at, move));
  }

  /** @param {MoveNode} at */
  #go(at) {
    for (let it = at; it.parent; it = it.parent) it.parent.next = it;
    this.at = at;
    const address = analysisPath(this.game, movesTo(at));
    this.link.show(location.origin + address);
    this.#showTree();
    this.#show();
    showAddress(address);
  }

  /** @param {string[]} moves */
  #position(moves) {
    const known = this.positions.get(moves.join(" "));
    if (known) return known;
    const requested = api.position(this.game, moves);
    requested.catch(() => this.positions.delete(moves.join(" ")));
    this.positions.set(moves.join(" "), requested);
    return requested;
  }

  /** Shows the position, then what its moves are worth. */
  async #show() {
    const { at } = this;
    const moves = movesTo(at);
    this.search.abort();
    const { signal } = (this.search = new AbortController());
    try {
      const { board } = await this.#position(moves);
      if (at !== this.at) return;
      this.drawn = at;
      this.#draw(board, null);
      replace(this.bar, null);
      write(this.text, "");
      this.playOn.show(this.game, moves, board);
      write(this.status, this.#statusText(board));
      if (!board.to_move || !this.tick.checked) return;
      for await (const analysis of api.improvingValues(this.game, moves, signal)) {
        if (at !== this.at || !this.tick.checked) return;
        this.#draw(board, analysis);
        this.#tell(board, board.to_move, analysis);
      }
      announce(this.text.textContent ?? "");
    } catch (error) {
      if (signal.aborted) return;
      toastError(error);
      if (at !== this.drawn) this.#return(at);
    }
  }

  /** Goes back to the position on the board, from one that can't be had. @param {MoveNode} at */
  #return(at) {
    const { drawn } = this;
    if (!drawn) return;
    // A move that has just been tried out.
    if (at.parent === drawn && !at.children.length) remove(at);
    this.#go(drawn);
  }

  /** @param {BoardView} board @param {PositionAnalysis | null} analysis */
  #draw(board, analysis) {
    const mover = board.to_move ? seatIndex(board.to_move) : null;
    const title = `${this.heading.textContent}, ${this.#statusText(board)}`;
    this.board.show({ board, title, mover, pending: null, hints: analysis?.hint ? [analysis.hint.move] : [], values: analysis?.values });
  }

  /** @param {BoardView} board */
  #statusText(board) {
    if (board.to_move) return `${board.side_names[seatIndex(board.to_move)]} to move`;
    return "The game is over.";
  }

  /** @param {BoardView} board @param {SeatName} to_move @param {PositionAnalysis} analysis */
  #tell(board, to_move, analysis) {
    const best = analysis.values?.[0];
    if (!best) return;
    const mover = seatIndex(to_move);
    const text = positionText(analysis, board.side_names[mover], board.side_names[opponent(mover)]);
    replace(this.bar, evaluationBar(board, mover === 0 ? best.expected : 1 - best.expected, text));
    const line = analysis.hint?.line ?? [];
    write(this.text, line.length ? `${text} Best line: ${line.slice(0, 10).join(" ")}.` : text);
  }

  /** Lists the moves and the branches. */
  #showTree() {
    const [main, ...others] = rootOf(this.at).children;
    const hadFocus = this.tree.contains(document.activeElement);
    setDisabled(this.removal, !this.at.parent);
    if (main) replace(this.tree, this.#line(main, "Main line"), others.map((it) => this.#line(it, "Branch")));
    else replace(this.tree, h("p", { class: "note" }, "Play moves for both sides."));
    /** @type {HTMLElement | null} */
    const current = this.tree.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest" });
    if (hadFocus) (current ?? this.tree).focus({ preventScroll: true });
  }

  /** A line and what branches off from it. @param {MoveNode} first @param {string} label @returns {HTMLElement} */
  #line(first, label) {
    const items = lineFrom(first).flatMap(({ node, branches }) => {
      const button = moveButton(node.move, () => this.#go(node));
      if (node === this.at) button.setAttribute("aria-current", "step");
      const lines = branches.map((it) => this.#line(it, `Branch instead of ${node.move}`));
      return [h("li", {}, button), lines.length ? h("li", { class: "branches" }, lines) : null];
    });
    // The colours of branches come round again.
    const colour = first.branch && `branch branch-${first.branch % COLOURS}`;
    return h("ol", { class: `moves ${colour || "main-line"}`, "aria-label": label }, items);
  }
}
