// Somebody at the table: name, piece, presence, score, clock.

import { clockText, leftAt } from "./clock.js";
import { h, replace, write } from "./dom.js";
import { badge, ink } from "./piece.js";
import { index, playerName } from "./words.js";

/** Below this much time a clock looks urgent, in milliseconds. */
const HURRY = 10_000;

/** A score in which a draw counts half: `1½`. @param {number} count of halves */
function halves(count) {
  const whole = Math.floor(count / 2);
  return count % 2 ? `${whole || ""}½` : String(whole);
}

export class Player {
  constructor() {
    this.badge = h("span", { class: "piece-of" });
    this.name = h("span", { class: "name" });
    this.tags = h("span", { class: "tags" });
    this.points = h("span", { class: "points" });
    this.wins = h("span", { class: "wins" });
    this.clock = h("span", { class: "clock", role: "timer" });
    this.element = h("div", { class: "player" }, this.badge, h("span", { class: "who" }, this.name, this.tags), this.points, this.wins, this.clock);
    this.seat = /** @type {0 | 1} */ (0);
  }

  /** @param {import("./session.js").Session} session @param {0 | 1} seat */
  show(session, seat) {
    const { view, presence } = session;
    const { board, score, clock } = view;
    const player = view.seats[seat];
    const here = presence.seats[seat];
    const turn = view.to_move !== null && index(view.to_move) === seat;
    const won = view.verdict?.winner === "ab"[seat];
    this.seat = seat;
    this.element.className = `player ${ink(board, seat)}${turn ? " turn" : ""}${won ? " won" : ""}${player ? "" : " nobody"}`;
    const piece = `${board.marks} ${board.first} ${seat}`;
    if (this.piece !== piece) replace(this.badge, badge(board, seat));
    this.piece = piece;
    write(this.name, playerName(view, seat));
    this.name.title = player?.computer ?? "";
    const tags = [board.side_names[seat]];
    if (seat === session.seat) tags.unshift("you");
    else if (player && !player.computer) tags.unshift(here ? "here" : "away");
    write(this.tags, tags.join(" · "));
    this.element.classList.toggle("away", Boolean(player && !here && seat !== session.seat));
    write(this.points, board.points ? String(board.points[seat]) : "");
    this.points.title = "Points";
    const games = score.wins[0] + score.wins[1] + score.draws;
    write(this.wins, games ? `match ${halves(2 * score.wins[seat] + score.draws)}` : "");
    this.clock.hidden = !clock;
    this.tick(session);
  }

  /** @param {import("./session.js").Session} session */
  tick(session) {
    const { clock } = session.view;
    if (!clock) return;
    const left = leftAt(clock, this.seat, session.now);
    write(this.clock, clockText(left));
    this.clock.classList.toggle("runs", clock.running?.[0] === "ab"[this.seat]);
    this.clock.classList.toggle("hurry", left < HURRY && clock.running !== null);
  }
}
