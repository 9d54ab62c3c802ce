// A first lesson of a game: three guided moves, and the rules while playing.

import * as api from "./api.js";
import { Board } from "./board.js";
import { gameOf, games, isTurnedFor } from "./catalog.js";
import { byId, h, replace, write } from "./dom.js";
import { announce, messageOf, toastError } from "./notifications.js";
import { PlayOn } from "./play-on.js";
import { seatIndex } from "./seat.js";
import { choicesOf } from "./selection.js";
import { play } from "./sound.js";
import { worthText } from "./worth.js";

/** The longest time in which an answer is chosen, in milliseconds. */
const ANSWER_TIME = 200;
/** The pause between a piece that has landed and the answer, in milliseconds. */
const PAUSE = 400;
/** After so many wrong tries the winning moves are shown. */
const MAX_TRIES = 2;

/** @param {number} time in milliseconds */
const wait = (time) => new Promise((done) => setTimeout(done, time));

export class LessonPage {
  /** @param {HTMLElement} root @param {string} game */
  constructor(root, game) {
    this.root = root;
    this.game = game;
    this.board = new Board((move) => this.#played(move), announce);
    this.heading = h("h1", {}, "Learn");
    this.steps = h("ol", { class: "lesson-steps", "aria-label": "Steps" }, ["A move", "A reply", "The end"].map((title) => h("li", {}, title)));
    this.text = h("p", { class: "status" });
    this.detail = h("p", { class: "note" });
    this.buttons = h("div", { class: "row" });
    this.rules = h("details", { class: "card more" });
    this.playOn = new PlayOn("Play a whole game");
    /** @type {string[]} */
    this.moves = [];
    /** @type {BoardView | null} */
    this.view = null;
    /** The seat that the learner plays; none while the page moves. @type {SeatIndex | null} */
    this.own = null;
    /** Whether the board is turned for the learner. */
    this.isTurned = false;
    /** The moves that win in the last step. @type {string[]} */
    this.wins = [];
    this.step = 0;
    this.tries = 0;
  }

  async open() {
    document.title = "Learn – open_ttt";
    try {
      const info = gameOf(await games(), this.game);
      if (!info) throw new Error("There is no such game.");
      this.info = info;
      await this.#begin(info);
    } catch (error) {
      const home = h("a", { class: "button main", href: "/" }, "All games");
      replace(this.root, h("div", { class: "card lone" }, h("h1", {}, "Can't open this lesson."), h("p", {}, messageOf(error)), home));
    }
  }

  /** @param {GameInfo} info */
  async #begin(info) {
    const start = await api.position(this.game, []);
    write(this.heading, `Learn ${info.title}`);
    replace(this.rules, h("summary", {}, "The rules"), h("p", {}, info.rules.replace(/\s+/g, " ")));
    this.rules.open = true;
    const stage = h("section", { class: "stage", "aria-label": "Board" }, h("div", { class: "frame" }, this.board.element, this.board.bar));
    const side = h(
      "div",
      { class: "side lesson" },
      this.heading,
      this.steps,
      h("div", { class: "told" }, this.text, this.detail),
      this.buttons,
      this.rules,
      this.playOn.element,
      h("div", { class: "row" }, h("a", { class: "button quiet", href: "/" }, "All games")),
    );
    replace(this.root, h("div", { class: "match" }, stage, side));
    const skip = byId("skip");
    write(skip, "Skip to the board");
    skip.addEventListener("click", (event) => {
      event.preventDefault();
      this.board.focus();
    });
    this.playOn.show(this.game, [], start.board);
    this.#show(start, start.board.to_move ? seatIndex(start.board.to_move) : null);
    const count = choicesOf(start.board).length;
    this.#tell(1, `You play ${this.#name}. Make a move.`, count > 1 ? `There are ${count} moves to choose from, and any will do.` : "There is one move.");
  }

  /** The name of the learner's side. */
  get #name() {
    return this.view?.side_names[this.own ?? 0] ?? "";
  }

  /** @param {Pick<PositionBoard, "moves" | "board">} position @param {SeatIndex | null} own @param {string[]} [hints] */
  #show({ moves, board }, own, hints = []) {
    this.moves = moves;
    this.view = board;
    this.own = own;
    const mover = own !== null && board.to_move && seatIndex(board.to_move) === own ? own : null;
    if (own !== null) this.isTurned = isTurnedFor(this.info, seatIndex(board.first) === own);
    this.board.show({ board, title: `${this.heading.textContent}`, mover, pending: null, hints, isTurned: this.isTurned });
  }

  /** @param {number} step @param {string} text @param {string} detail @param {...Child} buttons */
  #tell(step, text, detail, ...buttons) {
    this.step = step;
    [...this.steps.children].forEach((item, at) => {
      if (at === step - 1) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    write(this.text, text);
    write(this.detail, detail);
    replace(this.buttons, ...buttons);
    announce(`${text} ${detail}`);
  }

  /** @param {string} move */
  async #played(move) {
    const { own, view, moves } = this;
    if (own === null || this.isBusy) return;
    this.isBusy = true;
    try {
      if (this.step === 3) await this.#tryToWin(move, own);
      else {
        const after = await api.position(this.game, [...this.moves, move]);
        this.#show(after, own);
        play("own", this.board.movesFor);
        if (this.step === 1) await this.#answer(move, own);
        else this.#afterSecond(move);
      }
    } catch (error) {
      toastError(error);
      if (view) this.#show({ moves, board: view }, own);
    }
    this.isBusy = false;
  }

  /** The other side moves, until it is the learner's turn. @param {string} first @param {SeatIndex} own */
  async #answer(first, own) {
    const answers = [];
    while (this.view?.to_move && seatIndex(this.view.to_move) !== own) {
      const { view } = this;
      const analysis = await api.values(this.game, this.moves, ANSWER_TIME);
      const move = analysis.values?.[0]?.move ?? choicesOf(view)[0].move;
      await wait(this.board.movesFor + PAUSE);
      this.#show(await api.position(this.game, [...this.moves, move]), own);
      play("other", this.board.movesFor);
      answers.push(move);
    }
    const { view } = this;
    const other = view?.side_names[own === 0 ? 1 : 0];
    if (!view?.to_move) return this.#afterSecond(first);
    if (!answers.length) return this.#tell(2, `You played ${first}, and it's your turn again.`, "In this game a side may move more than once. Make another move.");
    this.#tell(2, `${other} answered ${answers.join(", ")}.`, `The last move is marked on the board. Now it's your turn again: what would you play?`);
  }

  /** @param {string} move */
  #afterSecond(move) {
    const next = h("button", { type: "button", class: "main", id: "next-step", onclick: () => this.#lastStep() }, "Next: win a game");
    this.#tell(2, `You played ${move}.`, "So it goes on, move by move, until the game is decided. Let's look at how it ends.", next);
    next.focus();
  }

  async #lastStep() {
    try {
      const { moves, wins } = await api.lesson(this.game);
      const position = await api.position(this.game, moves);
      const { board } = position;
      this.wins = wins;
      this.tries = 0;
      if (!wins.length || !board.to_move) return this.#finish("You know how to play.", "Now play a whole game.");
      this.#show(position, seatIndex(board.to_move));
      this.#tell(3, `You play ${this.#name}: win with one move.`, "This game is nearly over, and it's your turn. Look for the move that wins at once.");
      this.board.focus();
    } catch (error) {
      toastError(error);
    }
  }

  /** @param {string} move @param {SeatIndex} own */
  async #tryToWin(move, own) {
    const { moves } = this;
    if (this.wins.includes(move)) {
      this.#show(await api.position(this.game, [...moves, move]), null);
      play("win", this.board.movesFor);
      return this.#finish("You win!", `${move} ended the game. That's all you need to start.`);
    }
    this.tries += 1;
    const shown = this.tries >= MAX_TRIES ? this.wins : [];
    const { values = [] } = await api.values(this.game, moves, ANSWER_TIME);
    const worth = values.find((it) => it.move === move);
    this.#show(await api.position(this.game, moves), own, shown);
    const later = worth?.result === "win" ? `${move} ${worthText(worth)}, but there is a quicker way.` : `${move} doesn't win yet.`;
    this.#tell(3, `${later} Try again.`, shown.length ? "The winning move is marked on the board." : "");
  }

  /** @param {string} text @param {string} detail */
  #finish(text, detail) {
    const again = h("button", { type: "button", class: "quiet", id: "again", onclick: () => location.reload() }, "Start again");
    this.#tell(3, text, detail, again);
    this.step = 4;
    this.rules.open = false;
    this.playOn.element.setAttribute("open", "");
  }
}
