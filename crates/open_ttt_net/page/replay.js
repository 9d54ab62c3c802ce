// A game that was played, move by move, with what the engine thinks of it.

import * as api from "./api.js";
import { Board } from "./board.js";
import { choice } from "./choice.js";
import { h, replace, s, write } from "./dom.js";
import { announce, toast } from "./notice.js";
import { ink } from "./piece.js";
import { index, judgementText } from "./words.js";

/** @param {string} d its outline, 20 by 20 */
const icon = (d) => s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d }));

export class Replay {
  /**
   * @param {object} story
   * @param {string} story.id the match
   * @param {number} story.number the game to begin with
   * @param {number} story.last the last game there is to replay
   * @param {string} story.game its name in the catalog
   * @param {[string, string]} story.names who sits on each seat
   * @param {() => void} onClose
   */
  constructor({ id, number, last, game, names }, onClose) {
    this.id = id;
    this.number = number;
    this.names = names;
    this.game = game;
    this.onClose = onClose;
    this.board = new Board(() => {});
    this.ply = 0;
    /** @type {any} */
    this.frames = null;
    /** @type {Map<number, Promise<any>>} */
    this.judged = new Map();
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, id: "ply", "aria-label": "Move", oninput: () => this.#go(this.slider.valueAsNumber) });
    this.caption = h("p", { class: "status", role: "status" });
    this.verdict = h("p", { class: "judgement" });
    this.asks = h("input", { type: "checkbox", id: "judge", onchange: () => this.#show() });
    this.list = h("ol", { class: "moves", "aria-label": "Moves" });
    const step = (/** @type {string} */ d, /** @type {string} */ label, /** @type {() => number} */ to) =>
      h("button", { type: "button", class: "quiet", "aria-label": label, onclick: () => this.#go(to()) }, icon(d));
    this.element = h(
      "section",
      { class: "replay", "aria-label": "Replay" },
      this.caption,
      this.slider,
      h(
        "div",
        { class: "row steps" },
        step("M4 4h2v12H4zM16 4v12L7 10z", "To the start", () => 0),
        step("M14 4v12L5 10z", "One move back", () => this.ply - 1),
        step("M6 4v12l9-6z", "One move on", () => this.ply + 1),
        step("M14 4h2v12h-2zM4 4v12l9-6z", "To the end", () => this.#last),
      ),
      h("label", { class: "tick", for: "judge" }, this.asks, h("span", {}, "What the engine thinks")),
      this.verdict,
      last > 1 ? this.#numbers(last) : null,
      h("div", { class: "card record" }, h("h2", {}, "Moves"), this.list),
      h("div", { class: "row" }, h("button", { type: "button", class: "main", id: "close-replay", onclick: () => this.close() }, "Back to the table")),
    );
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
  }

  get #last() {
    return this.frames ? this.frames.boards.length - 1 : 0;
  }

  /** The games of the match, to choose from. @param {number} last */
  #numbers(last) {
    const options = Array.from({ length: last }, (_, at) => ({ title: `Game ${at + 1}`, value: at + 1 }));
    const turn = (/** @type {number} */ number) => {
      this.number = number;
      this.judged.clear();
      this.#load();
    };
    return choice("replay-game", "Which game", options, this.number - 1, turn).element;
  }

  open() {
    document.addEventListener("keydown", this.onKey);
    return this.#load();
  }

  async #load() {
    try {
      this.frames = await api.frames(this.id, this.number);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, "bad");
      this.close();
      return;
    }
    this.slider.max = String(this.#last);
    replace(
      this.list,
      this.frames.record.moves.map((/** @type {string} */ move, /** @type {number} */ at) =>
        h("li", { class: ink(this.frames.boards[0], this.#mover(at)) }, h("button", { type: "button", onclick: () => this.#go(at + 1) }, move)),
      ),
    );
    this.#go(this.#last);
  }

  close() {
    document.removeEventListener("keydown", this.onKey);
    this.onClose();
  }

  /** Who makes the move with this index. @param {number} ply @returns {0 | 1} */
  #mover(ply) {
    const first = index(this.frames.record.first);
    return /** @type {0 | 1} */ ((first + ply) % 2);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, .cell")) return;
    const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: this.#last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#go(to);
  }

  /** @param {number} ply */
  #go(ply) {
    if (!this.frames) return;
    this.ply = Math.max(0, Math.min(this.#last, ply));
    this.slider.value = String(this.ply);
    this.#show();
  }

  #show() {
    if (!this.frames) return;
    const { ply } = this;
    const { moves } = this.frames.record;
    const said = ply ? `Move ${ply} of ${moves.length}: ${this.names[this.#mover(ply - 1)]} plays ${moves[ply - 1]}` : "The start of the game";
    write(this.caption, said);
    this.slider.setAttribute("aria-valuetext", said);
    this.#draw([]);
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.list.children[ply - 1]?.firstElementChild?.setAttribute("aria-current", "step");
    this.list.children[ply - 1]?.scrollIntoView({ block: "nearest" });
    write(this.verdict, "");
    if (this.asks.checked) this.#judge(ply);
  }

  /** @param {string[]} hints */
  #draw(hints) {
    this.board.show({ board: this.frames.boards[this.ply], title: `${this.game}, move ${this.ply}`, mover: null, hope: null, hints });
  }

  /** @param {number} ply */
  async #judge(ply) {
    write(this.verdict, "Thinking …");
    try {
      const before = ply ? this.#ask(ply - 1) : null;
      const over = ply === this.frames.record.moves.length && this.frames.record.verdict?.by === "rules";
      const now = over ? null : await this.#ask(ply);
      const was = await before;
      if (ply !== this.ply || !this.asks.checked) return;
      const text = [this.#moveText(was, now, ply), now ? this.#positionText(now, ply) : ""].filter(Boolean).join(" ");
      write(this.verdict, text || "The game is over.");
      announce(text);
      if (now) this.#draw(now.best);
    } catch (error) {
      if (ply === this.ply) write(this.verdict, /** @type {Error} */ (error).message);
    }
  }

  /** @param {number} ply */
  #ask(ply) {
    const known = this.judged.get(ply);
    if (known) return known;
    const asked = api.judge(this.game, this.frames.record.moves.slice(0, ply));
    asked.catch(() => this.judged.delete(ply));
    this.judged.set(ply, asked);
    return asked;
  }

  /** @param {any} judgement @param {number} ply */
  #positionText(judgement, ply) {
    const mover = this.#mover(ply);
    const best = judgement.best.length && judgement.result !== "unknown" ? ` Best: ${judgement.best.join(", ")}.` : "";
    return judgementText(judgement, this.names[mover], this.names[1 - mover]) + best;
  }

  /** What the last move was worth, against the best there was. */
  #moveText(/** @type {any} */ was, /** @type {any} */ now, /** @type {number} */ ply) {
    if (!was || !was.best.length || was.result === "unknown") return "";
    const move = this.frames.record.moves[ply - 1];
    if (was.best.includes(move)) return `${move} was best.`;
    const worth = { win: 1, draw: 0, loss: -1 };
    const best = worth[/** @type {"win"} */ (was.result)];
    const got = now && now.result in worth ? -worth[/** @type {"win"} */ (now.result)] : null;
    const instead = was.best.join(", ");
    if (got !== null && got < best) return `${move} was a mistake; ${instead} was better.`;
    return `${move} kept the result; ${instead} was best.`;
  }
}
