/* Two perfect players play tic-tac-toe and Connect Four, and we look over their shoulders.
 * Ends with 0 if everything is as the theory says. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "open_ttt.h"

static void fail(const char *what)
{
    const char *error = open_ttt_last_error();
    fprintf(stderr, "%s: %s\n", what, error ? error : "not as expected");
    exit(1);
}

/* Plays a game to its end and returns its outcome. */
static OpenTttOutcome play(const char *name, const char *opening)
{
    OpenTttGame *game = open_ttt_game_new(name);
    if (!game || !open_ttt_game_play(game, opening))
        fail(name);
    OpenTttPlayer *player = open_ttt_player_new(game, "perfect(seed=1)");
    if (!player)
        fail("perfect");
    while (open_ttt_game_outcome(game) == OPEN_TTT_OUTCOME_UNFINISHED) {
        char *move = open_ttt_player_choose(player, game);
        if (!move || !open_ttt_game_play(game, move))
            fail("a move");
        open_ttt_text_free(move);
    }
    char *board = open_ttt_game_board(game);
    char *moves = open_ttt_game_history(game);
    printf("%s: %s\n%s\n", name, moves, board);
    open_ttt_text_free(moves);
    open_ttt_text_free(board);
    OpenTttOutcome outcome = open_ttt_game_outcome(game);
    open_ttt_player_free(player);
    open_ttt_game_free(game);
    return outcome;
}

/* What every move of a position is worth, and a hint. */
static void look(void)
{
    OpenTttGame *game = open_ttt_game_new("ttt");
    if (!game || !open_ttt_game_play(game, "a1 b2 a2"))
        fail("ttt");
    OpenTttValue values[9];
    intptr_t count = open_ttt_game_values(game, 0, values, 9);
    if (count != 6)
        fail("values");
    for (intptr_t i = 0; i < count; i++)
        printf("%s: %s in %d\n", values[i].move_text,
               values[i].result == OPEN_TTT_RESULT_DRAW ? "draw" : "loss", (int)values[i].plies);
    if (strcmp(values[0].move_text, "a3") != 0)
        fail("only a3 draws");
    char *hint = open_ttt_game_hint(game, 0);
    if (!hint)
        fail("hint");
    puts(hint);
    open_ttt_text_free(hint);
    if (open_ttt_game_play(game, "a1") || !open_ttt_last_error())
        fail("a taken cell");
    printf("%s\n", open_ttt_last_error());
    open_ttt_game_free(game);
}

/* The lines of the README. */
static void hint(void)
{
    OpenTttGame *game = open_ttt_game_new("connect4");
    open_ttt_game_play(game, "4 4 5");
    char *hint = open_ttt_game_hint(game, 100000);
    if (!hint || strcmp(hint, "3 wins, within 37 moves, Red's included.") != 0)
        fail("a hint");
    open_ttt_text_free(hint);
    open_ttt_game_free(game);
}

/* Plays Connect Four, too, unless there is an argument: with valgrind it takes a minute. */
int main(int argc, char **argv)
{
    (void)argv;
    look();
    hint();
    if (play("ttt", "") != OPEN_TTT_OUTCOME_DRAW)
        fail("perfect tic-tac-toe is a draw");
    if (argc == 1 && play("connect4", "4") != OPEN_TTT_OUTCOME_FIRST_WINS)
        fail("in Connect Four the middle wins");
    return 0;
}
