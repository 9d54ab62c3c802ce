// The server as its documentation starts it; its store is in memory, or in
// files with `node server.js PORT FOLDER`.

const { Server, Origins, FlatFile } = require("boardgame.io/server");
const { TicTacToe } = require("./game");

const [port, folder] = process.argv.slice(2);
const db = folder ? new FlatFile({ dir: folder, logging: false }) : undefined;
const server = Server({ games: [TicTacToe], origins: [Origins.LOCALHOST], db });
server.run({ port: Number(port) }, () => process.send?.("ready"));
