// Tic-tac-toe as boardgame.io's own tutorial describes it, but for one thing: a
// game that is over does not end the match, which goes on with another one, as
// in open_ttt. That spares boardgame.io to make a match for every eight moves.

const LINES = [
  [0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6],
  [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6],
];

const isWon = (cells) =>
  LINES.some(([a, b, c]) => cells[a] !== null && cells[a] === cells[b] && cells[b] === cells[c]);

exports.TicTacToe = {
  name: "tic-tac-toe",
  setup: () => ({ cells: Array(9).fill(null), over: false }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    clickCell: ({ G, playerID }, id) => {
      if (G.over || G.cells[id] !== null) return "INVALID_MOVE";
      G.cells[id] = playerID;
      G.over = isWon(G.cells) || G.cells.every((cell) => cell !== null);
    },
    again: ({ G }) => {
      if (!G.over) return "INVALID_MOVE";
      G.cells.fill(null);
      G.over = false;
    },
  },
};
