// What is said about a match, to be read or heard.

import { computerName } from "./computer.js";

/** @typedef {0 | 1 | null} Own the seat of who reads, if they have one */

/** @param {string | null | undefined} seat `a` or `b` */
export const index = (seat) => /** @type {0 | 1} */ ("ab".indexOf(seat ?? ""));

/**
 * @param {any} view
 * @param {0 | 1} seat
 */
export function playerName(view, seat) {
  const player = view.seats[seat];
  if (!player) return "Nobody yet";
  return player.computer ? computerName(player.computer) : player.name;
}

/** @param {any} view @param {0 | 1} seat @param {Own} own */
const who = (view, seat, own) => (seat === own ? "You" : playerName(view, seat));

/** @param {0 | 1} seat @param {Own} own @param {string} verb @param {string} form the third person's */
const does = (seat, own, verb, form) => (seat === own ? verb : form);

/**
 * How a game has ended: `You win: Bea has resigned`.
 * @param {any} view @param {Own} own
 */
export function verdictText(view, own) {
  const { winner, by } = view.verdict;
  const points = view.board.points;
  const counted = points && by === "rules" ? `, ${Math.max(...points)} to ${Math.min(...points)}` : "";
  if (!winner) return by === "agreement" ? "A draw, as agreed" : `A draw${counted}`;
  const [won, lost] = [index(winner), /** @type {0 | 1} */ (1 - index(winner))];
  const wins = `${who(view, won, own)} ${does(won, own, "win", "wins")}`;
  const loser = `${who(view, lost, own).replace("You", "you")} ${does(lost, own, "have", "has")}`;
  switch (by) {
    case "resignation":
      return `${wins}: ${loser} resigned`;
    case "time":
      return `${wins}: ${loser} run out of time`;
    case "abandonment":
      return `${wins}: ${loser} left`;
    default:
      return wins + counted;
  }
}

/**
 * Where a match stands, in a few words.
 * @param {any} view @param {Own} own
 */
export function statusText(view, own) {
  if (view.verdict) return verdictText(view, own);
  if (!view.to_move) return "Waiting for a second player";
  const seat = index(view.to_move);
  return seat === own ? "Your turn" : `${playerName(view, seat)} to move`;
}

/**
 * What an act is called: `your move 4`.
 * @param {any} act
 */
export function actName(act) {
  if (act.move) return `your move ${act.move.text}`;
  return (
    {
      resign: "that you resign",
      offer_draw: "your offer of a draw",
      accept_draw: "that you accept the draw",
      refuse_draw: "that you refuse the draw",
      ask_take_back: "that you ask for your move back",
      grant_take_back: "that you give the move back",
      refuse_take_back: "that you keep the move",
      rematch: "that you want another game",
      claim: "that you claim the win",
    }[/** @type {string} */ (act)] ?? "what you did"
  );
}

/**
 * What has happened, as somebody would say it; nothing if there is nothing to
 * say.
 * @param {any} transition
 * @param {any} view what there is to see now
 * @param {any} before what there was to see before
 * @param {Own} own
 */
export function newsText(transition, view, before, own) {
  const { by, act } = transition;
  const turn = view.verdict ? ` ${verdictText(view, own)}.` : "";
  if (act.join) {
    const seat = index(act.join.seat);
    return seat === own ? "" : `${playerName(view, seat)} sits down. ${statusText(view, own)}.`;
  }
  if (act === "time_out") return turn.trim();
  const seat = index(by);
  const name = who(view, seat, own);
  const say = (/** @type {string} */ verb, /** @type {string} */ form, /** @type {string} */ rest) =>
    `${name} ${does(seat, own, verb, form)} ${rest}.`;
  if (act.move) {
    const next = view.to_move && index(view.to_move) === own ? " Your turn." : "";
    return say("play", "plays", act.move.text) + scored(view, before, own) + turn + next;
  }
  switch (act) {
    case "offer_draw":
      return view.verdict ? turn.trim() : say("offer", "offers", "a draw");
    case "refuse_draw":
      return say("refuse", "refuses", "the draw");
    case "ask_take_back":
      return say("ask", "asks", `for ${seat === own ? "your" : "their"} move back`);
    case "grant_take_back":
      return `${say("allow", "allows", "it")} The move is taken back.`;
    case "refuse_take_back":
      return say("do", "does", "not give the move back");
    case "claim":
      return say("claim", "claims", "that the other side has left");
    case "stay":
      return say("are", "is", "there");
    case "rematch":
      return view.verdict ? say("want", "wants", "another game") : `Game ${view.number} begins. ${statusText(view, own)}.`;
    default:
      return turn.trim();
  }
}

/** @param {any} view @param {any} before @param {Own} own */
function scored(view, before, own) {
  const [now, then] = [view.board.points, before?.board.points];
  if (!now || !then) return "";
  const seat = /** @type {0 | 1} */ (now[0] > then[0] ? 0 : 1);
  const more = now[seat] - then[seat];
  if (more <= 0) return "";
  return ` ${who(view, seat, own)} ${does(seat, own, "score", "scores")} ${more}: ${now[0]} to ${now[1]}.`;
}

/**
 * What a judgement says, for a person.
 * @param {any} judgement
 * @param {string} mover who is to move
 * @param {string} other
 */
export function judgementText(judgement, mover, other) {
  const { result, plies, margin, exact } = judgement;
  const sure = exact ? "" : "Probably: ";
  const by = margin ? ` by ${Math.abs(margin)}` : "";
  const soon = plies ? `, ${plies} ${plies === 1 ? "move" : "moves"} from the end` : "";
  switch (result) {
    case "win":
      return `${sure}${mover} wins${by} with best play${soon}.`;
    case "loss":
      return `${sure}${other} wins${by} with best play${soon}.`;
    case "draw":
      return `${sure}a draw with best play.`.replace(/^a/, "A");
    default:
      return "Nobody knows yet who wins here.";
  }
}
