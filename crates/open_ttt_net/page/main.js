// Opens the lobby or a match, depending on the address.

import { byId } from "./dom.js";
import { Lobby } from "./lobby.js";
import { MatchPage } from "./match.js";
import { keyOfLink } from "./player-key.js";

const MATCH = /^\/m\/([A-Za-z0-9_-]{1,32})\/?$/;
const TOKEN = /^#([0-9a-f]{32})$/;

const root = byId("main");
const id = MATCH.exec(location.pathname)?.[1];
if (id) {
  const token = TOKEN.exec(location.hash)?.[1];
  // The token is secret: remove it from the address bar and the history.
  if (token) history.replaceState(null, "", location.pathname);
  new MatchPage(id, root, token).open();
} else {
  new Lobby(root, keyOfLink()).open();
}
