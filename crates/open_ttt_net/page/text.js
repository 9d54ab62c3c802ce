// The texts about a match, to be read or heard.

import { computerName } from "./computer.js";
import { opponent, seatIndex } from "./seat.js";

/** @typedef {SeatIndex | null} Own the reader's seat; null for spectators */

/**
 * @param {MatchView} view
 * @param {SeatIndex} seat
 */
export function playerName(view, seat) {
  const player = view.seats[seat];
  if (!player) return "Open seat";
  return player.computer ? computerName(player.computer) : player.name;
}

/** @param {MatchView} view @param {SeatIndex} seat @param {Own} own */
const nameOrYou = (view, seat, own) => (seat === own ? "You" : playerName(view, seat));

/**
 * How a game has ended: `You win: Bea resigned`.
 * @param {MatchView} view @param {Own} own
 */
export function verdictText(view, own) {
  if (!view.verdict) return "";
  const { winner, by } = view.verdict;
  const points = view.board.points;
  const score = points && by === "rules" ? `, ${Math.max(...points)} to ${Math.min(...points)}` : "";
  if (!winner) return by === "agreement" ? "Draw by agreement" : `Draw${score}`;
  const seat = seatIndex(winner);
  const wins = seat === own ? "You win" : `${playerName(view, seat)} wins`;
  const loser = nameOrYou(view, opponent(seat), own).replace(/^You$/, "you");
  switch (by) {
    case "resignation":
      return `${wins}: ${loser} resigned`;
    case "time":
      return `${wins}: ${loser} ran out of time`;
    case "abandonment":
      return `${wins}: ${loser} left`;
    default:
      return wins + score;
  }
}

/**
 * The status of a match, in a few words.
 * @param {MatchView} view @param {Own} own
 */
export function statusText(view, own) {
  if (view.verdict) return verdictText(view, own);
  if (!view.to_move) return "Waiting for an opponent";
  const seat = seatIndex(view.to_move);
  if (seat === own) return "Your turn";
  return view.seats[seat]?.computer ? "Computer's turn" : `${playerName(view, seat)}'s turn`;
}

/**
 * What others ask and have no answer to yet: `Bea offers a draw.`
 * @param {MatchView} view @param {Own} own
 */
export function requestTexts(view, own) {
  const { draw_offer, take_back, claim, rematch } = view;
  const others = /** @type {SeatIndex[]} */ ([0, 1]).filter((seat) => seat !== own);
  return others.flatMap((seat) => {
    const asks = (/** @type {SeatName | null | undefined} */ asker) => asker && seatIndex(asker) === seat;
    const acts = [asks(draw_offer) && "offers a draw", asks(take_back) && "asks to undo a move", asks(claim?.[0]) && "claims the win", rematch[seat] && "wants a rematch"];
    return acts.filter(Boolean).map((act) => `${playerName(view, seat)} ${act}.`);
  });
}

/**
 * Why an act of the reader was rolled back: `z9 isn't a legal move.`
 * @param {Rollback} rollback
 * @param {MatchView} view
 * @param {Own} own
 */
export function rollbackText({ act, refusal, transition, before }, view, own) {
  if (!refusal) {
    const change = transition ? changeText(transition, view, before ?? null, own) : "The game has changed.";
    return `${actName(act)} came too late. ${change}`;
  }
  const { conflict, text } = refusal;
  if (conflict === "nothing_to_take_back") return "Nothing to undo yet.";
  if (typeof act === "object" && typeof conflict === "object") return `${act.move.text} isn't a legal move.`;
  return sentence(text);
}

/**
 * The name of an act of the reader: `Your move 4`.
 * @param {PlayerAct} act
 */
function actName(act) {
  if (typeof act === "object") return `Your move ${act.move.text}`;
  const names = {
    resign: "Your resignation",
    offer_draw: "Your draw offer",
    ask_take_back: "Your undo request",
    rematch: "Your rematch request",
    claim: "Your claim",
  };
  return names[/** @type {keyof typeof names} */ (act)] ?? "Your answer";
}

/**
 * A change as an announcement; empty if there is nothing to announce.
 * @param {Transition} transition
 * @param {MatchView} view the view after the change
 * @param {MatchView | null} before the view before it
 * @param {Own} own
 */
export function changeText({ by, act }, view, before, own) {
  const end = view.verdict ? ` ${verdictText(view, own)}.` : "";
  if (typeof act === "object" && "join" in act) {
    const seat = seatIndex(act.join.seat);
    return seat === own ? "" : `${playerName(view, seat)} joined. ${statusText(view, own)}.`;
  }
  if (typeof act === "object" && "return_time" in act) {
    return `The server was interrupted. The clock gets ${Math.round(act.return_time.ms / 1000)} s back.`;
  }
  if (by === "server") return end.trim();
  const seat = seatIndex(by);
  const say = (/** @type {string} */ you, /** @type {string} */ other) =>
    seat === own ? `You ${you}.` : `${playerName(view, seat)} ${other}.`;
  if (typeof act === "object") {
    const { text } = act.move;
    const next = view.to_move && seatIndex(view.to_move) === own ? " Your turn." : "";
    return say(`play ${text}`, `plays ${text}`) + scoreText(view, before, own) + end + next;
  }
  switch (act) {
    case "offer_draw":
      return view.verdict ? end.trim() : say("offer a draw", "offers a draw");
    case "refuse_draw":
      return say("decline the draw", "declines the draw");
    case "ask_take_back":
      return say("ask to undo your move", "asks to undo a move");
    case "grant_take_back":
      return `${say("agree", "agrees")} The move is undone.`;
    case "refuse_take_back":
      return say("decline the undo", "declines the undo");
    case "claim":
      return say("claim the win", "claims the win");
    case "stay":
      return say("are still here", "is still here");
    case "rematch":
      return view.verdict ? say("want a rematch", "wants a rematch") : `Game ${view.number} starts. ${statusText(view, own)}.`;
    default:
      return end.trim();
  }
}

/** @param {MatchView} view @param {MatchView | null} before @param {Own} own */
function scoreText(view, before, own) {
  const [now, then] = [view.board.points, before?.board.points];
  if (!now || !then) return "";
  const seat = now[0] > then[0] ? 0 : 1;
  const more = now[seat] - then[seat];
  if (more <= 0) return "";
  return ` ${nameOrYou(view, seat, own)} ${seat === own ? "score" : "scores"} ${more}: ${now[0]} to ${now[1]}.`;
}

/**
 * An analysis, in a few words.
 * @param {PositionAnalysis} analysis
 * @param {string} mover the name of the player to move
 * @param {string} other
 */
export function analysisText({ result, plies, margin, exact }, mover, other) {
  const probably = exact ? "" : "probably ";
  const by = margin ? ` by ${Math.abs(margin)}` : "";
  const soon = plies && !margin ? ` in ${plies}` : "";
  switch (result) {
    case "win":
      return `${mover} ${probably}wins${by}${soon}.`;
    case "loss":
      return `${other} ${probably}wins${by}${soon}.`;
    case "draw":
      return exact ? "Draw with best play." : "Probably a draw.";
    default:
      return "Still calculating.";
  }
}

/** The text with a capital letter and a full stop. @param {string} text */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
