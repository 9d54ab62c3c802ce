// Which page it is.

import { Lobby } from "./lobby.js";
import * as keepsake from "./keepsake.js";
import { Table } from "./table.js";

const MATCH = /^\/m\/([A-Za-z0-9_-]{1,32})\/?$/;
const TOKEN = /^#([0-9a-f]{32})$/;

const root = /** @type {HTMLElement} */ (document.getElementById("main"));
const id = MATCH.exec(location.pathname)?.[1];
if (id) {
  const token = TOKEN.exec(location.hash)?.[1];
  if (token) {
    keepsake.keepSeat(id, token);
    // A seat's secret is nothing to leave in sight, in the history or in a
    // picture of the screen.
    history.replaceState(null, "", location.pathname);
  }
  new Table(id, root).open();
} else {
  new Lobby(root).open();
}
