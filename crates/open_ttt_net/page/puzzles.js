// Puzzles: positions in which one move is right, solved on the board.

import * as api from "./api.js";
import { Board } from "./board.js";
import { gameOf, games, isTurnedFor } from "./catalog.js";
import { h, isDisabled, replace, setDisabled, write } from "./dom.js";
import { announce, messageOf } from "./notifications.js";
import { seatIndex } from "./seat.js";
import * as storage from "./storage.js";
import { worthText } from "./worth.js";

/** How long a wrong move stays on the board, and a right one before the reply, in milliseconds. */
const WRONG_TIME = 1_200;
const REPLY_TIME = 600;

/** The longest time in which the answer to a wrong move is looked for, in milliseconds. */
const REFUTING_TIME = 1_000;

/** What is wrong with other moves, by the goal. */
const failures = { win: "doesn't win", draw: "loses", fastest: "isn't the fastest win", defend: "loses" };

/** The address of a puzzle: `?game=k&number=3`, of the day without a number. */
const wanted = () => {
  const query = new URLSearchParams(location.search);
  const number = Number(query.get("number"));
  return { game: query.get("game"), number: number > 0 ? number : undefined };
};

export class PuzzlePage {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {GameInfo[]} */
    this.games = [];
    /** @type {GamePuzzle | null} */
    this.puzzle = null;
    /** How many moves of the solution are on the board. */
    this.step = 0;
    /** A move on the board that isn't the right one. @type {string | null} */
    this.wrong = null;
    /** Whether a wrong move, a hint or the solution was needed. */
    this.isHelped = false;
    this.isHinted = false;
    /** Whether the rest of the solution is being shown. */
    this.isShowing = false;
    /** Counts the puzzles shown, so that nothing happens to a later one. */
    this.shown = 0;
    this.board = new Board((move) => this.#play(move), announce);
    /** @type {HTMLSelectElement} */
    this.choice = h("select", { id: "puzzle-game", onchange: () => this.#load(this.choice.value) });
    this.name = h("p", { class: "note" }, "Loading…");
    this.task = h("p", { class: "status" });
    this.news = h("p", { class: "note", role: "status" });
    this.streak = h("p", { class: "note", id: "streak" });
    const button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", class: "quiet", id, onclick }, text);
    this.hint = button("puzzle-hint", "Hint", () => this.#hint());
    this.solution = button("puzzle-solution", "Show the solution", () => this.#solve());
    this.next = h("button", { type: "button", class: "main", id: "puzzle-next", onclick: () => this.#next() }, "Next puzzle");
    this.today = button("puzzle-today", "Puzzle of the day", () => this.#load(this.choice.value));
    addEventListener("popstate", () => this.#open());
  }

  async open() {
    document.title = "Puzzles – open_ttt";
    const side = h(
      "div",
      { class: "side" },
      h("h1", {}, "Puzzles"),
      h("label", { class: "field", for: "puzzle-game" }, h("span", {}, "Game"), this.choice),
      this.name,
      h("div", { class: "row" }, this.hint, this.solution),
      h("div", { class: "row" }, this.next, this.today),
      this.streak,
      h("a", { href: "/" }, "All games"),
    );
    const frame = h("div", { class: "frame" }, this.board.element, this.board.bar);
    // What is asked and answered stays in view on a telephone, where the side is below.
    const stage = h("section", { class: "stage", "aria-label": "Board" }, this.task, frame, this.news);
    replace(this.root, h("div", { class: "match puzzle" }, stage, side));
    this.#showStreak();
    try {
      this.games = (await games()).filter(({ puzzles }) => puzzles);
    } catch (error) {
      write(this.name, messageOf(error));
      return announce(messageOf(error));
    }
    replace(this.choice, this.games.map(({ game, title }) => h("option", { value: game }, title)));
    await this.#open();
  }

  /** Shows the puzzle of the address. */
  #open() {
    const { game, number } = wanted();
    const known = game && gameOf(this.games, game) ? game : this.games[0]?.game;
    if (known) return this.#show(known, number);
  }

  /** Goes to a puzzle. @param {string} game @param {number} [number] that of the day if missing */
  #load(game, number) {
    const query = new URLSearchParams(number ? { game, number: String(number) } : { game });
    history.pushState(null, "", `${location.pathname}?${query}`);
    return this.#show(game, number);
  }

  /** @param {string} game @param {number} [number] */
  async #show(game, number) {
    const shown = ++this.shown;
    this.choice.value = game;
    this.puzzle = null;
    this.#enable();
    try {
      const puzzle = await api.puzzle(game, number);
      if (shown !== this.shown) return;
      this.puzzle = puzzle;
    } catch (error) {
      if (shown !== this.shown) return;
      write(this.name, "");
      write(this.news, "");
      write(this.task, messageOf(error));
      return announce(messageOf(error));
    }
    this.step = 0;
    this.wrong = null;
    this.isHelped = false;
    this.isHinted = false;
    this.isShowing = false;
    const { rating, stars, count } = this.puzzle;
    const which = number ? `Puzzle ${this.puzzle.number} of ${count}` : `Puzzle of the day, number ${this.puzzle.number} of ${count}`;
    const signs = h("span", { role: "img", "aria-label": `${stars} of 5 stars` }, "★".repeat(stars) + "☆".repeat(5 - stars));
    replace(this.name, `${which} · rating ${rating} `, signs);
    write(this.task, this.#task());
    write(this.news, "");
    announce(this.#task());
    this.#draw();
  }

  get #isSolved() {
    return this.puzzle !== null && this.step >= this.puzzle.solution.length;
  }

  /** The seat to solve. */
  get #solver() {
    return seatIndex(this.puzzle?.boards[0].to_move ?? "a");
  }

  /** The seat that makes the next move of the solution. */
  get #mover() {
    return seatIndex(this.puzzle?.boards[this.step]?.to_move ?? "a");
  }

  #task() {
    const { goal, plies, boards } = /** @type {GamePuzzle} */ (this.puzzle);
    const name = boards[0].side_names[this.#solver];
    if (goal === "draw" || goal === "defend") return `${name} to move. Find the only move that doesn't lose.`;
    if (plies === 1) return `${name} to move and win at once.`;
    if (goal === "fastest") return `${name} to move. Find the fastest win: ${plies} moves of both sides.`;
    return `${name} to move. Find the only move that wins.`;
  }

  #draw() {
    const { puzzle } = this;
    if (!puzzle) return;
    const board = puzzle.boards[this.step];
    const isOpen = !this.#isSolved && !this.isShowing && this.wrong === null && this.#mover === this.#solver;
    const info = gameOf(this.games, puzzle.game);
    const title = info?.title ?? puzzle.game;
    const pending = this.wrong === null ? null : { text: this.wrong, seat: this.#solver };
    const hints = this.isHinted && isOpen ? [puzzle.solution[this.step]] : [];
    const isTurned = isTurnedFor(info, this.#solver === seatIndex(board.first));
    this.board.show({ board, title: `${title}, puzzle ${puzzle.number}`, mover: isOpen ? this.#solver : null, pending, hints, isTurned });
    this.#enable();
  }

  #enable() {
    const isOver = !this.puzzle || this.#isSolved || this.isShowing;
    setDisabled(this.hint, isOver);
    setDisabled(this.solution, isOver);
    setDisabled(this.next, !this.puzzle);
  }

  /** @param {string} move */
  #play(move) {
    const { puzzle, shown } = this;
    if (!puzzle || this.#isSolved || this.wrong !== null || this.isShowing) return;
    this.isHinted = false;
    if (move === puzzle.solution[this.step]) {
      this.#tell(`${move} is right.`);
      return this.#goOn();
    }
    this.#fail();
    this.wrong = move;
    this.#tell(`${move} ${failures[puzzle.goal]}. Try again.`);
    this.#refute(move, puzzle);
    this.#draw();
    setTimeout(() => {
      // Another puzzle may be shown by now, or the solution of this one.
      if (shown !== this.shown || this.wrong !== move) return;
      // Its piece is still there.
      this.board.rollBack(move);
      this.wrong = null;
      this.#draw();
    }, WRONG_TIME);
  }

  /** Tells the best answer to a wrong move, if its result is known. @param {string} move @param {GamePuzzle} puzzle */
  async #refute(move, { game, goal, moves, solution }) {
    const { news } = this;
    const told = news.textContent;
    const before = [...moves, ...solution.slice(0, this.step), move];
    // Without an answer, as after the last move of a game, what is told is enough.
    const { values } = await api.values(game, before, REFUTING_TIME).catch(() => ({ values: [] }));
    const answer = values?.[0];
    // Something else may have happened since.
    if (!answer || answer.result === "unknown" || news.textContent !== told) return;
    this.#tell(`${move} ${failures[goal]}: the answer ${answer.move} ${worthText(answer)}. Try again.`);
  }

  /** Puts the next move of the solution on the board, and the replies after it. */
  #goOn() {
    const { puzzle, shown } = this;
    if (!puzzle) return;
    // The solution may be asked for just before a reply.
    clearTimeout(this.replying);
    this.step += 1;
    this.#draw();
    if (this.#isSolved) return this.#end();
    if (this.#mover === this.#solver && !this.isShowing) return;
    this.replying = setTimeout(() => {
      if (shown !== this.shown) return;
      const reply = puzzle.solution[this.step];
      this.#tell(`${puzzle.boards[0].side_names[this.#mover]} plays ${reply}.`);
      this.#goOn();
    }, REPLY_TIME);
  }

  #end() {
    if (this.isShowing) this.#tell(`The solution: ${this.puzzle?.solution.join(", ")}.`);
    else {
      if (!this.isHelped) storage.savePuzzleStreak(storage.puzzleStreak() + 1);
      this.#tell(this.isHelped ? "Solved." : "Solved at the first try!");
    }
    this.isShowing = false;
    this.#showStreak();
    this.next.focus();
  }

  /** The puzzle isn't solved without help. */
  #fail() {
    this.isHelped = true;
    storage.savePuzzleStreak(0);
    this.#showStreak();
  }

  #hint() {
    if (isDisabled(this.hint)) return;
    this.#fail();
    this.isHinted = true;
    this.#tell("The move is marked on the board.");
    this.#draw();
  }

  #solve() {
    if (isDisabled(this.solution)) return;
    this.#fail();
    this.isShowing = true;
    this.wrong = null;
    this.#goOn();
  }

  #next() {
    const { puzzle } = this;
    if (puzzle) this.#load(puzzle.game, (puzzle.number % puzzle.count) + 1);
  }

  /** @param {string} text */
  #tell(text) {
    write(this.news, text);
  }

  #showStreak() {
    const streak = storage.puzzleStreak();
    write(this.streak, streak ? `${streak} solved in a row at the first try` : "Solve puzzles at the first try to start a streak.");
  }
}
