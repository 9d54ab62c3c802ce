// The review of a game: how good each move was, and where it turned.

import * as api from "./api.js";
import { h, isDisabled, replace, s, setDisabled } from "./dom.js";
import { announce, messageOf } from "./notifications.js";
import { worthText } from "./worth.js";

/** The signs of moves that gave something away, as in books of chess. */
const SIGNS = { best: "", good: "", inaccuracy: "?!", mistake: "?", blunder: "??" };

/** The size of the graph. */
const [WIDTH, HEIGHT] = [300, 80];

export class Review {
  /**
   * @param {string} game
   * @param {[string, string]} names the players' names by seat
   * @param {(ply: number) => void} onGo
   * @param {() => void} onReady
   */
  constructor(game, names, onGo, onReady) {
    this.game = game;
    this.names = names;
    this.onGo = onGo;
    this.onReady = onReady;
    /** @type {GameReview | null} */
    this.review = null;
    /** @type {GameFrames["record"] | null} */
    this.record = null;
    this.button = h("button", { type: "button", id: "review", onclick: () => this.#ask() }, "Review the game");
    this.summary = h("div", { tabindex: -1 });
    this.element = h("section", { class: "review", "aria-label": "Review" }, this.button, this.summary);
  }

  /** Another game, which is reviewed only on request. @param {GameFrames["record"]} record */
  begin(record) {
    this.record = record;
    this.review = null;
    replace(this.summary, null);
    this.button.hidden = false;
    setDisabled(this.button, false);
    this.element.hidden = !record.verdict || !record.moves.length;
  }

  async #ask() {
    const { record } = this;
    if (!record?.verdict || isDisabled(this.button)) return;
    const { winner } = record.verdict;
    const result = winner === null ? "draw" : winner === record.first ? "first" : "second";
    setDisabled(this.button, true);
    announce("Looking at every move…");
    replace(this.summary, h("p", {}, "Looking at every move…"), h("progress", { "aria-label": "Reviewing the game" }));
    try {
      const review = await api.review(this.game, record.moves, result);
      if (record !== this.record) return;
      this.review = review;
      replace(this.summary, ...this.#parts(review, record));
      if (document.activeElement === this.button) this.summary.focus({ preventScroll: true });
      this.button.hidden = true;
      announce(this.#turned(review, record) || "The review is ready.");
      this.onReady();
    } catch (error) {
      if (record !== this.record) return;
      setDisabled(this.button, false);
      announce(messageOf(error));
      replace(this.summary, h("p", {}, messageOf(error)));
    }
  }

  /** The name of a side. @param {0 | 1} side @param {GameFrames["record"]} record */
  #name(side, record) {
    return this.names[(side === 0) === (record.first === "a") ? 0 : 1];
  }

  /** Where the game turned. @param {GameReview} review @param {GameFrames["record"]} record */
  #turned({ turning_point: at, moves }, record) {
    if (at === null) return "";
    return `The game turned with move ${at + 1}, ${record.moves[at]} by ${this.#name(moves[at].side, record)}.`;
  }

  /** @param {GameReview} review @param {GameFrames["record"]} record */
  #parts(review, record) {
    const { turning_point: at, accuracy } = review;
    const sides = /** @type {const} */ ([0, 1]);
    const accuracies = sides.map((side) => (accuracy[side] === null ? null : h("li", {}, `${this.#name(side, record)}: accuracy ${Math.round(accuracy[side] ?? 0)} %`)));
    const turned = this.#turned(review, record);
    return [
      h("ul", { class: "accuracies" }, accuracies),
      this.#graph(review, record),
      turned ? h("p", {}, turned) : null,
      at === null ? null : h("button", { type: "button", class: "quiet", id: "turning-point", onclick: () => this.onGo(at) }, "Go there"),
    ];
  }

  /** What the first side could expect after each move. @param {GameReview} review @param {GameFrames["record"]} record */
  #graph({ moves, turning_point: at }, record) {
    const x = (/** @type {number} */ ply) => (WIDTH * ply) / moves.length;
    const y = (/** @type {number} */ expected) => HEIGHT * (1 - expected);
    const [first] = moves;
    const start = first.side === 0 ? first.best.expected : 1 - first.best.expected;
    const heights = [start, ...moves.map(({ first_expects }) => first_expects)];
    const line = heights.map((expected, ply) => `${x(ply)} ${y(expected)}`).join("L");
    const areas = moves.map((_, ply) =>
      s("rect", { class: "ply", x: x(ply), y: 0, width: WIDTH / moves.length, height: HEIGHT, onclick: () => this.onGo(ply + 1) }),
    );
    const label = `The chances of ${this.#name(0, record)} after each move`;
    return s(
      "svg",
      { class: "graph", viewBox: `0 -4 ${WIDTH} ${HEIGHT + 8}`, role: "img", "aria-label": label },
      s("path", { class: "area", d: `M0 ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}Z` }),
      s("path", { class: "middle", d: `M0 ${HEIGHT / 2}H${WIDTH}` }),
      s("path", { class: "line", d: `M${line}` }),
      at === null ? null : s("circle", { class: "turn", cx: x(at + 1), cy: y(moves[at].first_expects), r: 4 }),
      areas,
    );
  }

  /** Marks the moves that gave something away in their list. @param {HTMLElement} list */
  mark(list) {
    this.review?.moves.forEach(({ quality }, ply) => {
      const item = list.children[ply];
      item?.querySelector(".mark")?.remove();
      if (item && SIGNS[quality]) item.append(h("span", { class: `mark ${quality}`, title: quality, role: "img", "aria-label": quality }, SIGNS[quality]));
    });
  }

  /** A move that gave something away; null for others and without a review. @param {number} ply the index of the move */
  mistake(ply) {
    const reviewed = this.review?.moves[ply];
    return reviewed && SIGNS[reviewed.quality] ? reviewed : null;
  }

  /** How good a move was, in words; empty without a review. @param {number} ply the index of the move */
  text(ply) {
    const reviewed = this.review?.moves[ply];
    if (!reviewed) return "";
    const { quality, played, best, line } = reviewed;
    if (quality === "best") return `${played.move} was the best move.`;
    const better = `${line.slice(0, 8).join(" ")} ${worthText(best)}`;
    const what = quality === "good" ? "good" : quality === "inaccuracy" ? "an inaccuracy" : `a ${quality}`;
    return `${played.move} was ${what}: it ${worthText(played)}. Better: ${better}.`;
  }
}
