// Which page it is.

import { Lobby } from "./lobby.js";
import { Table } from "./table.js";

const MATCH = /^\/m\/([A-Za-z0-9_-]{1,32})\/?$/;
const TOKEN = /^#([0-9a-f]{32})$/;

const root = /** @type {HTMLElement} */ (document.getElementById("main"));
const id = MATCH.exec(location.pathname)?.[1];
if (id) {
  const token = TOKEN.exec(location.hash)?.[1];
  // A seat's secret is nothing to leave in sight, in the history or in a picture
  // of the screen.
  if (token) history.replaceState(null, "", location.pathname);
  new Table(id, root, token).open();
} else {
  new Lobby(root).open();
}
