// A game move by move: a past one with an optional analysis, or the one in progress.

import * as api from "./api.js";
import { Board } from "./board.js";
import { choice } from "./choice.js";
import { h, replace, write } from "./dom.js";
import { analysisPath, showAddress } from "./links.js";
import { moveButton } from "./moves.js";
import { announce, messageOf, toastError } from "./notifications.js";
import { PastGame } from "./past-game.js";
import { ink } from "./piece.js";
import { Review } from "./review.js";
import { opponent, seatIndex } from "./seat.js";
import { linkField } from "./share.js";
import { isSolo } from "./solo.js";
import { stepButtons } from "./steps.js";
import { evaluationBar, positionText } from "./worth.js";

/** An analysis as the other player sees its result. @param {PositionAnalysis} analysis @returns {PositionAnalysis} */
function opposite(analysis) {
  const results = { win: "loss", loss: "win", draw: "draw", unknown: "unknown" };
  return { ...analysis, result: /** @type {PositionAnalysis["result"]} */ (results[analysis.result]) };
}

/** The longest time of an analysis, in milliseconds. */
const ANALYSIS_TIME = 2_000;

export class Replay {
  /**
   * @param {object} options
   * @param {string} options.id the match
   * @param {number} options.number the number of the initial game
   * @param {number} options.last the number of the last game
   * @param {string} options.game the game's name in the catalog
   * @param {string} options.title the game's title
   * @param {[string, string]} options.names the players' names
   * @param {number} [options.ply] the move after which to begin; the last one if missing
   * @param {(board: BoardView) => boolean} options.isTurned whether the upper side of a board is shown at the bottom
   * @param {() => void} onClose
   */
  constructor({ id, number, last, game, title, names, ply = Infinity, isTurned }, onClose) {
    this.id = id;
    this.number = number;
    this.names = names;
    this.game = game;
    this.title = title;
    this.start = ply;
    this.isTurned = isTurned;
    this.onClose = onClose;
    this.board = new Board((move) => this.retry?.play(move), announce);
    this.ply = 0;
    this.past = new PastGame(id, number);
    this.isLoading = false;
    /** Whether the shown move is not loaded yet. */
    this.isPending = true;
    this.isClosed = false;
    /** The analyses by ply. @type {Map<number, Promise<PositionAnalysis>>} */
    this.analyses = new Map();
    /** @type {HTMLInputElement} */
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, id: "ply", "aria-label": "Move", oninput: () => this.#go(this.slider.valueAsNumber) });
    this.caption = h("p", { class: "status", role: "status" }, "Loading the game…");
    this.progress = h("progress", { "aria-label": "Loading the game", hidden: true });
    this.analysis = h("p", { class: "analysis" });
    this.bar = h("div", {});
    this.review = new Review(game, names, (ply) => this.#go(ply), () => this.#reviewed());
    this.analyzes = h("input", { type: "checkbox", id: "analyze", onchange: () => this.#show() });
    this.news = h("p", { class: "note" });
    /** The analysis is offered once the game is over: nobody is to play by it. */
    this.analysisTick = h("label", { class: "tick", for: "analyze", hidden: true }, this.analyzes, h("span", {}, "Show values"));
    this.link = linkField({ url: "", label: "Link to this position", title: `A position of ${title}` });
    this.list = h("ol", { class: "moves", "aria-label": "Moves" });
    /** The better move that is looked for. @type {import("./retry.js").Retry | null} */
    this.retry = null;
    this.retryButton = h("button", { type: "button", id: "retry", hidden: true, onclick: () => this.#tryAgain() }, "Try it again");
    this.retryPlace = h("div", {});
    this.board_link = h("a", { class: "button quiet", id: "to-analysis" }, "Analysis board");
    /** What a position of a finished game can be used for. */
    this.uses = h("div", { class: "row", hidden: true }, this.board_link);
    /** @type {import("./play-on.js").PlayOn | null} */
    this.playOn = null;
    this.playOnPlace = h("div", { hidden: true });
    this.element = h(
      "section",
      { class: "replay", "aria-label": "Replay", tabindex: -1 },
      this.caption,
      this.news,
      this.slider,
      this.progress,
      stepButtons((key) => this.#step(key), this.board.turnButton),
      this.analysisTick,
      this.bar,
      this.analysis,
      this.retryButton,
      this.retryPlace,
      this.review.element,
      last > 1 ? this.#games(last) : null,
      h("div", { class: "card record" }, h("h2", {}, "Moves"), this.list),
      this.uses,
      this.playOnPlace,
      h("details", { class: "more links" }, h("summary", {}, "Share this position"), this.link.element),
      h("div", { class: "row" }, h("button", { type: "button", class: "main", id: "close-replay", onclick: () => this.close() }, "Back to the game")),
    );
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
  }

  get #last() {
    return this.past.last;
  }

  /** The choice of a game of the match. @param {number} last */
  #games(last) {
    const options = Array.from({ length: last }, (_, at) => ({ title: `Game ${at + 1}`, value: at + 1 }));
    const select = (/** @type {number} */ number) => {
      this.number = number;
      this.past = new PastGame(this.id, number);
      this.analyses.clear();
      this.#load();
    };
    return choice("replay-game", "Game", options, this.number - 1, select).element;
  }

  open() {
    document.addEventListener("keydown", this.onKey);
    return this.#load();
  }

  /** Loads what is missing, the shown move first. */
  async #load() {
    const { past } = this;
    this.isLoading = true;
    try {
      while (!past.isComplete) {
        const isFirst = !past.record;
        await past.loadPage(this.ply);
        // Meanwhile the player may have closed the replay or chosen another game.
        if (this.isClosed || past !== this.past) return;
        if (isFirst) this.#begin();
        this.#showLoaded();
      }
    } catch (error) {
      if (this.isClosed || past !== this.past) return;
      toastError(error);
      if (!past.record) this.close();
    }
    this.isLoading = false;
  }

  /** Lists the moves, and goes to the last one. */
  #begin() {
    const moves = this.past.record?.moves ?? [];
    this.slider.max = String(this.#last);
    replace(this.list, moves.map((move, at) => h("li", {}, moveButton(move, () => this.#go(at + 1)))));
    const isOver = Boolean(this.past.record?.verdict);
    this.analysisTick.hidden = !isOver;
    this.uses.hidden = !isOver;
    this.playOnPlace.hidden = !isOver;
    if (isOver) this.#offerToPlayOn();
    if (this.past.record) this.review.begin(this.past.record);
    this.#go(this.start);
    this.start = Infinity;
  }

  /** Shows what the last page added. */
  #showLoaded() {
    const { past } = this;
    // A game in progress may have more moves by now than the list.
    [...this.list.children].forEach((item, at) => {
      const board = past.boards[at];
      if (board) item.className = ink(board, this.#mover(at));
    });
    this.progress.max = this.#last + 1;
    this.progress.value = past.loaded;
    this.progress.hidden = past.isComplete;
    if (this.isPending && past.has(this.ply)) this.#show();
  }

  /** Tells that the game goes on meanwhile. @param {string} text */
  tell(text) {
    write(this.news, text);
  }

  close() {
    this.isClosed = true;
    document.removeEventListener("keydown", this.onKey);
    this.onClose();
    showAddress(location.pathname);
  }

  /** The seat that makes the move with this index. @param {number} ply @returns {SeatIndex} */
  #mover(ply) {
    return seatIndex(this.past.boards[ply]?.to_move ?? "a");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, .cell")) return;
    if (this.#step(event.key)) event.preventDefault();
  }

  /** Goes where a key leads; whether it leads anywhere. @param {string} key */
  #step(key) {
    const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.#last }[key];
    if (to === undefined) return false;
    this.#go(to);
    return true;
  }

  /** @param {number} ply */
  #go(ply) {
    if (!this.past.record) return;
    this.#endRetry();
    this.ply = Math.max(0, Math.min(this.#last, ply));
    this.slider.value = String(this.ply);
    const address = `${location.pathname}?game=${this.number}&move=${this.ply}`;
    // Nobody else has a match of this browser, but its positions.
    const moves = this.past.record?.moves.slice(0, this.ply) ?? [];
    this.link.show(location.origin + (isSolo(this.id) ? analysisPath(this.game, moves) : address));
    this.#show();
    showAddress(address);
    // After a failure, a move that is missing is another reason to try.
    if (!this.isLoading && !this.past.isComplete) this.#load();
  }

  #show() {
    const { ply, past } = this;
    if (!past.record) return;
    const { moves } = past.record;
    this.isPending = !past.has(ply);
    const move = `Move ${ply} of ${moves.length}: `;
    const isGiven = ply <= (past.record.given ?? 0);
    const played = isGiven ? `${moves[ply - 1]}, before this game` : `${this.names[this.#mover(ply - 1)]} plays ${moves[ply - 1]}`;
    const text = this.isPending ? `${move}loading…` : ply ? `${move}${played}` : "Start of the game";
    write(this.caption, text);
    this.slider.setAttribute("aria-valuetext", text);
    this.#draw(null);
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.list.children[ply - 1]?.firstElementChild?.setAttribute("aria-current", "step");
    this.list.children[ply - 1]?.scrollIntoView({ block: "nearest" });
    replace(this.bar, null);
    write(this.analysis, this.review.text(ply - 1));
    this.retryButton.hidden = !this.review.mistake(ply - 1) || this.retry !== null;
    this.board_link.setAttribute("href", analysisPath(this.game, moves.slice(0, ply)));
    const board = past.boards[ply];
    if (board) this.playOn?.show(this.game, moves.slice(0, ply), board);
    if (this.#isAnalyzed(past.record, ply) && !this.isPending) this.#analyze(past.record, ply);
  }

  /** Whether a position's analysis is wanted and may be shown. @param {GameFrames["record"]} record @param {number} ply */
  #isAnalyzed(record, ply) {
    const isShown = record === this.past.record && ply === this.ply && !this.isClosed;
    return isShown && this.analyzes.checked && record.verdict !== null && !this.retry;
  }

  async #offerToPlayOn() {
    if (this.playOn) return;
    const { PlayOn } = await import("./play-on.js");
    this.playOn = new PlayOn();
    replace(this.playOnPlace, this.playOn.element);
    this.#show();
  }

  /** Looks for a better move than the one shown, in the position before it. */
  async #tryAgain() {
    const { ply, past } = this;
    const mistake = this.review.mistake(ply - 1);
    if (!mistake || !past.record) return;
    const { Retry } = await import("./retry.js");
    const moves = past.record.moves.slice(0, ply - 1);
    const name = this.names[this.#mover(ply - 1)];
    this.#go(ply - 1);
    const shown = () => this.#draw(null);
    const end = () => {
      this.#go(ply);
      this.retryButton.focus();
    };
    this.retry = new Retry({ game: this.game, moves, mistake, name }, shown, end);
    replace(this.retryPlace, this.retry.element);
    this.#show();
    this.board.focus();
  }

  #endRetry() {
    this.retry = null;
    if (this.retryPlace.contains(document.activeElement)) this.element.focus({ preventScroll: true });
    replace(this.retryPlace, null);
  }

  /** Shows the review of the game. */
  #reviewed() {
    this.review.mark(this.list);
    this.#show();
  }

  /** @param {PositionAnalysis | null} analysis */
  #draw(analysis) {
    const board = this.past.boards[this.ply];
    if (!board) return;
    const { retry } = this;
    const hints = retry ? [retry.answer] : (analysis?.best ?? []);
    const mover = retry?.isOpen ? this.#mover(this.ply) : null;
    this.board.show({ board, title: `${this.title}, move ${this.ply}`, mover, pending: null, hints, values: analysis?.values, isTurned: this.isTurned(board) });
    const best = analysis?.values?.[0];
    if (!analysis || !best) return;
    const side = this.#mover(this.ply);
    const text = positionText(analysis, this.names[side], this.names[opponent(side)]);
    replace(this.bar, evaluationBar(board, side === 0 ? best.expected : 1 - best.expected, text));
  }

  /** @param {GameFrames["record"]} record @param {number} ply */
  async #analyze(record, ply) {
    write(this.analysis, "Analyzing…");
    try {
      const before = ply ? this.#request(record, ply - 1) : null;
      const isOver = ply === record.moves.length && record.verdict?.by === "rules";
      const now = isOver ? null : await this.#request(record, ply);
      const was = await before;
      if (!this.#isAnalyzed(record, ply)) return;
      const reviewed = this.review.text(ply - 1);
      const parts = [reviewed || was && this.#moveText(was, now && this.#mover(ply) !== this.#mover(ply - 1) ? opposite(now) : now, record.moves[ply - 1]), now && this.#positionText(now, this.#mover(ply))];
      const text = parts.filter(Boolean).join(" ");
      write(this.analysis, text || "The game is over.");
      announce(text);
      if (now) this.#draw(now);
    } catch (error) {
      if (this.#isAnalyzed(record, ply)) write(this.analysis, messageOf(error));
    }
  }

  /** @param {GameFrames["record"]} record @param {number} ply */
  #request(record, ply) {
    const known = this.analyses.get(ply);
    if (known) return known;
    const requested = api.values(this.game, record.moves.slice(0, ply), ANALYSIS_TIME);
    requested.catch(() => this.analyses.delete(ply));
    this.analyses.set(ply, requested);
    return requested;
  }

  /** @param {PositionAnalysis} analysis @param {SeatIndex} mover */
  #positionText(analysis, mover) {
    const best = analysis.best.length && analysis.result !== "unknown" ? ` Best: ${analysis.best.join(", ")}.` : "";
    return positionText(analysis, this.names[mover], this.names[opponent(mover)]) + best;
  }

  /**
   * Compares a move with the best ones.
   * @param {PositionAnalysis} was the analysis before the move
   * @param {PositionAnalysis | null} now the analysis after it, for the same player
   * @param {string} move
   */
  #moveText(was, now, move) {
    if (!was.best.length || was.result === "unknown") return "";
    if (was.best.includes(move)) return `${move} was the best move.`;
    const values = { win: 1, draw: 0, loss: -1 };
    const value = now && now.result !== "unknown" ? values[now.result] : null;
    const better = `${was.best.join(", ")} ${was.best.length > 1 ? "were" : "was"}`;
    if (value !== null && value < values[was.result]) return `${move} was a mistake. ${better} better.`;
    return `Good, but ${better} stronger.`;
  }
}
