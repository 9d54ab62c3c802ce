// What moves are worth, in signs and words.

import { h } from "./dom.js";
import { ink } from "./piece.js";
import { analysisText } from "./text.js";

/** A value as a few characters: `W5` wins in five, `D` draws, `+3` wins by three points, `62` of 100 points. @param {MoveWorth} worth */
export function worthSign({ result, plies, margin, expected, uncertainty }) {
  if (result === "unknown") return uncertainty >= 0.5 ? "" : String(Math.round(100 * expected));
  if (margin !== null) return margin > 0 ? `+${margin}` : margin < 0 ? `\u2212${-margin}` : "0";
  if (result === "draw") return "D";
  return `${result === "win" ? "W" : "L"}${plies ?? ""}`;
}

/** A value in words. @param {MoveWorth} worth */
export function worthText({ result, plies, margin, expected, uncertainty }) {
  const by = margin ? ` by ${Math.abs(margin)}` : "";
  const soon = plies && !margin ? ` in ${plies}` : "";
  switch (result) {
    case "win":
      return `wins${by}${soon}`;
    case "loss":
      return `loses${by}${soon}`;
    case "draw":
      return "draws";
    default:
      return uncertainty >= 0.5 ? "something unknown" : `about ${Math.round(100 * expected)} of 100 points`;
  }
}

/**
 * What a position is worth, for the bar and for screen readers.
 * @param {PositionAnalysis} analysis with values
 * @param {string} mover the name of the player to move
 * @param {string} other
 */
export function positionText(analysis, mover, other) {
  const best = analysis.values?.[0];
  return best?.result === "unknown" ? `${mover} can expect ${worthText(best)}.` : analysisText(analysis, mover, other);
}

/** Whether a value is good, even or bad for its player. @param {MoveWorth} worth */
export const worthKind = ({ expected }) => (expected >= 0.6 ? "good" : expected <= 0.4 ? "bad" : "even");

/**
 * The bar of what both players can expect.
 * @param {BoardView} board
 * @param {number} first the points of the first seat, from 0 to 1
 * @param {string} text what it says
 */
export function evaluationBar(board, first, text) {
  const share = h("span", { class: ink(board, 0) });
  share.style.width = `${100 * first}%`;
  return h("div", { class: `evaluation ${ink(board, 1)}`, role: "img", "aria-label": text }, share);
}
