// A player's panel: piece, name, presence, points, score and clock.

import { clockText, leftAt } from "./clock.js";
import { h, replace, write } from "./dom.js";
import { badge, ink } from "./piece.js";
import { seatIndex, seatName } from "./seat.js";
import { playerName } from "./text.js";

/** A clock with less time is highlighted, in milliseconds. */
const LOW_TIME = 10_000;

/** A number of halves as text: `1½`. @param {number} count */
function halves(count) {
  const whole = Math.floor(count / 2);
  return count % 2 ? `${whole || ""}½` : String(whole);
}

export class PlayerPanel {
  constructor() {
    this.badge = h("span", { class: "piece-of" });
    this.name = h("span", { class: "name" });
    this.tags = h("span", { class: "tags" });
    /** Three dots, while a computer is to move. */
    this.thinking = h("span", { class: "thinking", hidden: true, "aria-hidden": "true" }, h("i"), h("i"), h("i"));
    this.points = h("span", { class: "points" });
    this.wins = h("span", { class: "wins" });
    this.clock = h("span", { class: "clock", role: "timer" });
    this.element = h("div", { class: "player" }, this.badge, h("span", { class: "who" }, this.name, this.tags), this.thinking, this.points, this.wins, this.clock);
    this.piece = "";
    /** @type {SeatIndex} */
    this.seat = 0;
  }

  /** @param {import("./session.js").Session} session @param {MatchView} view @param {SeatIndex} seat */
  show(session, view, seat) {
    const { presence } = session;
    const { board, score, clock } = view;
    const player = view.seats[seat];
    const here = presence.seats[seat];
    const turn = view.to_move !== null && seatIndex(view.to_move) === seat;
    const won = view.verdict?.winner === seatName(seat);
    this.seat = seat;
    this.element.className = `player ${ink(board, seat)}${turn ? " turn" : ""}${won ? " won" : ""}${player ? "" : " nobody"}`;
    const piece = JSON.stringify([board.marks, board.shapes, board.colors, board.first, seat]);
    if (this.piece !== piece) replace(this.badge, badge(board, seat));
    this.piece = piece;
    write(this.name, playerName(view, seat));
    this.name.title = player?.computer ?? "";
    const tags = [board.side_names[seat]];
    if (seat === session.seat) tags.unshift("you");
    else if (player && !player.computer) tags.unshift(here ? "online" : "away");
    if (view.settings.rated) tags.push("rated");
    const thinks = turn && Boolean(player?.computer);
    if (thinks) tags.push("thinking…");
    this.thinking.hidden = !thinks;
    write(this.tags, tags.join(" · "));
    this.element.classList.toggle("away", Boolean(player && !here && seat !== session.seat));
    write(this.points, board.points ? String(board.points[seat]) : "");
    this.points.title = "Points";
    const games = score.wins[0] + score.wins[1] + score.draws;
    write(this.wins, games ? `Score ${halves(2 * score.wins[seat] + score.draws)}` : "");
    this.clock.hidden = !clock;
    this.tick(session, view);
  }

  /** @param {import("./session.js").Session} session @param {MatchView} view */
  tick(session, { clock }) {
    if (!clock) return;
    const left = leftAt(clock, this.seat, session.now);
    write(this.clock, clockText(left));
    this.clock.classList.toggle("runs", clock.running?.[0] === seatName(this.seat));
    this.clock.classList.toggle("low", left < LOW_TIME && clock.running !== null);
  }
}
