// Two-player games, computer players and analysis.
//
// Written by cbindgen from the sources of open_ttt_c, whose README has an example.

#ifndef OPEN_TTT_H
#define OPEN_TTT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// The size of the text of a move, with its end.
#define OPEN_TTT_MOVE_BYTES 48

// A side of a game.
typedef enum OpenTttSide {
  // There is none: see `open_ttt_last_error`.
  OPEN_TTT_SIDE_ERROR = -1,
  // The side that moves first.
  OPEN_TTT_SIDE_FIRST = 0,
  // The other side.
  OPEN_TTT_SIDE_SECOND = 1,
} OpenTttSide;

// How a game has ended.
typedef enum OpenTttOutcome {
  // There is none: see `open_ttt_last_error`.
  OPEN_TTT_OUTCOME_ERROR = -1,
  // It goes on.
  OPEN_TTT_OUTCOME_UNFINISHED = 0,
  // The first side has won.
  OPEN_TTT_OUTCOME_FIRST_WINS = 1,
  // The second side has won.
  OPEN_TTT_OUTCOME_SECOND_WINS = 2,
  // Nobody has won.
  OPEN_TTT_OUTCOME_DRAW = 3,
} OpenTttOutcome;

// How the game ends under best play.
typedef enum OpenTttResult {
  // Not proved.
  OPEN_TTT_RESULT_UNKNOWN = 0,
  // The side that plays the move wins.
  OPEN_TTT_RESULT_WIN = 1,
  // A draw.
  OPEN_TTT_RESULT_DRAW = 2,
  // The side that plays the move loses.
  OPEN_TTT_RESULT_LOSS = 3,
} OpenTttResult;

// A game: its position and the moves that led to it. One thread at a time may use it.
typedef struct OpenTttGame OpenTttGame;

// A computer player of one game. One thread at a time may use it.
typedef struct OpenTttPlayer OpenTttPlayer;

// What a move is worth to the side that plays it.
typedef struct OpenTttValue {
  // The move in the game's notation.
  char move_text[OPEN_TTT_MOVE_BYTES];
  // How the game ends under best play, if that is proved.
  enum OpenTttResult result;
  // The number of moves to the end, this one included; -1 if it isn't known.
  int32_t plies;
  // By how many points the side wins, if `has_margin`.
  int32_t margin;
  // Whether the game is scored and the margin proved.
  bool has_margin;
  // The points that the side can expect, 0 to 1: a win counts 1, a draw half.
  double expected;
  // By how much that may be wrong, as far as the search shows it; 0 if it is proved.
  double uncertainty;
} OpenTttValue;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What went wrong in this thread's last call that can fail, in one sentence, or `NULL` if it
// succeeded.
//
// The text is valid until the thread's next call of any function but this one.
const char *open_ttt_last_error(void);

// A text of this many bytes, none of them zero, for callers that can't make one themselves,
// like JavaScript. It may be filled with other bytes that aren't zero. The caller frees it;
// `NULL` is an error: there is no memory for it.
char *open_ttt_text_new(uintptr_t bytes);

// Frees a text that a function has returned. `NULL` is allowed. A text that is to be freed must
// not be changed; only one of `open_ttt_text_new` may, as is said there.
//
// # Safety
//
// `text` was returned by a function whose result is to be freed, and not freed yet; the first
// zero in it is where it was.
void open_ttt_text_free(char *text);

// The keys of the games, separated by spaces: `"ttt pegs connect4 .."`. The caller frees the
// text.
char *open_ttt_games(void);

// The rules of the game with this key, in a few lines. The caller frees the text; `NULL` is
// an error.
//
// # Safety
//
// `key` is a text.
char *open_ttt_rules(const char *key);

// The version of the library, as in `"0.3.0"`. It isn't freed.
const char *open_ttt_version(void);

// A new game by its name: a key with any parameters that aren't at their defaults, as in
// `"connect4"` or `"mnk(m=5,n=5,k=4)"`. The caller frees it with `open_ttt_game_free`;
// `NULL` is an error.
//
// # Safety
//
// `name` is a text.
struct OpenTttGame *open_ttt_game_new(const char *name);

// The same game once more, which can be played on independently. The caller frees it;
// `NULL` is an error.
//
// # Safety
//
// `game` is a game.
struct OpenTttGame *open_ttt_game_copy(const struct OpenTttGame *game);

// Frees a game. `NULL` is allowed.
//
// # Safety
//
// `game` is a game that isn't used any more.
void open_ttt_game_free(struct OpenTttGame *game);

// Plays one or more moves in the game's notation, separated by spaces or commas. False is an
// error: the moves before the illegal one are played.
//
// # Safety
//
// `game` is a game and `moves` a text.
bool open_ttt_game_play(struct OpenTttGame *game, const char *moves);

// Takes the last move back. False if there is none, which is no error, or on an error.
//
// # Safety
//
// `game` is a game.
bool open_ttt_game_undo(struct OpenTttGame *game);

// The side to move; when the game is over, the one that would move next.
//
// # Safety
//
// `game` is a game.
enum OpenTttSide open_ttt_game_to_move(const struct OpenTttGame *game);

// The name of a side in this game, as in `"X"` or `"Red"`, by its value in `OpenTttSide`. The caller frees the text; `NULL`
// is an error.
//
// # Safety
//
// `game` is a game.
char *open_ttt_game_side_name(const struct OpenTttGame *game,
                              int side);

// How the game has ended.
//
// # Safety
//
// `game` is a game.
enum OpenTttOutcome open_ttt_game_outcome(const struct OpenTttGame *game);

// The legal moves in the game's notation, separated by spaces; empty when the game is over.
// The caller frees the text; `NULL` is an error.
//
// # Safety
//
// `game` is a game.
char *open_ttt_game_legal_moves(const struct OpenTttGame *game);

// The moves so far in the game's notation, separated by spaces. The caller frees the text;
// `NULL` is an error.
//
// # Safety
//
// `game` is a game.
char *open_ttt_game_history(const struct OpenTttGame *game);

// The board as text of several lines. The caller frees the text; `NULL` is an error.
//
// # Safety
//
// `game` is a game.
char *open_ttt_game_board(const struct OpenTttGame *game);

// What the legal moves are worth, the best first, as far as can be found out by looking at
// `nodes` positions; 0 is as many as it takes, or 100,000 in a game that is too large for
// that. At most `capacity` values are written. Returns the number of legal moves; -1 is an
// error. It keeps tables, which make the next search faster.
//
// # Safety
//
// `game` is a game, and `values` points to `capacity` values or is `NULL` if that is 0.
intptr_t open_ttt_game_values(struct OpenTttGame *game,
                              uint64_t nodes,
                              struct OpenTttValue *values,
                              uintptr_t capacity);

// A good move and why, as a sentence, found by looking at `nodes` positions; 0 is as many as
// it takes, or 100,000 in a game that is too large for that. The caller frees the text;
// `NULL` is an error, also when the game is over.
//
// # Safety
//
// `game` is a game.
char *open_ttt_game_hint(struct OpenTttGame *game, uint64_t nodes);

// Gives players `"net:NAME"` the network in these bytes, those of a file that
// `open_ttt train` has written. A network of the same name before it is replaced, for players
// made from now on. At most a thousand are kept. Returns false on an error.
//
// # Safety
//
// `name` is a text, and `bytes` points to `length` bytes.
bool open_ttt_network_add(const char *name, const uint8_t *bytes, uintptr_t length);

// A computer player by its name, for games that begin like this one: `"perfect"`, `"hard"` and
// the other levels, `"mcts(iterations=1000,seed=1)"`, `"negamax(ms=100)"`, `"random"`,
// `"net:pretrained"`, `"net:NAME"` for a network that `open_ttt_network_add` was given. The
// caller frees it with `open_ttt_player_free`; `NULL` is an error.
//
// # Safety
//
// `game` is a game and `name` a text.
struct OpenTttPlayer *open_ttt_player_new(const struct OpenTttGame *game, const char *name);

// The move that the player chooses, in the game's notation; it isn't played. The caller frees
// the text; `NULL` is an error, also when the game is over or the player resigns.
//
// # Safety
//
// `player` is a player, and `game` a game of the kind for which it was made.
char *open_ttt_player_choose(struct OpenTttPlayer *player, const struct OpenTttGame *game);

// Frees a player. `NULL` is allowed.
//
// # Safety
//
// `player` is a player that isn't used any more.
void open_ttt_player_free(struct OpenTttPlayer *player);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* OPEN_TTT_H */
