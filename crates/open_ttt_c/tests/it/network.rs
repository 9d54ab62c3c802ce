use std::ffi::{CStr, CString};

use open_ttt_c::{
    open_ttt_game_free, open_ttt_game_new, open_ttt_last_error, open_ttt_network_add,
    open_ttt_player_choose, open_ttt_player_free, open_ttt_player_new, open_ttt_text_free,
};

const NETWORK: &[u8] = include_bytes!("../../../open_ttt_catalog/networks/tic_tac_toe.safetensors");

/// The move that a player chooses in a game of tic-tac-toe, or the error.
fn choose(player: &str) -> Result<String, String> {
    let (name, player) = (CString::from(c"ttt"), CString::new(player).unwrap());
    // SAFETY: all are texts, and what is used is freed after it.
    unsafe {
        let game = open_ttt_game_new(name.as_ptr());
        let player = open_ttt_player_new(game, player.as_ptr());
        let result = if player.is_null() {
            let error = CStr::from_ptr(open_ttt_last_error());
            Err(error.to_str().unwrap().to_owned())
        } else {
            let m = open_ttt_player_choose(player, game);
            let text = CStr::from_ptr(m).to_str().unwrap().to_owned();
            open_ttt_text_free(m);
            Ok(text)
        };
        open_ttt_player_free(player);
        open_ttt_game_free(game);
        result
    }
}

fn add(name: &str, bytes: &[u8]) -> bool {
    let name = CString::new(name).unwrap();
    // SAFETY: a text, and bytes with their number.
    unsafe { open_ttt_network_add(name.as_ptr(), bytes.as_ptr(), bytes.len()) }
}

#[test]
fn a_network_that_is_given_plays() {
    let asked = "net:given(simulations=16,seed=1)";
    let missing = choose(asked).unwrap_err();
    assert!(missing.contains("not given"), "{missing}");
    assert!(!add("given", &NETWORK[..100]));
    assert!(choose(asked).is_err());
    assert!(add("given", NETWORK));
    let expected = choose("net:pretrained(simulations=16,seed=1)");
    assert!(expected.is_ok());
    assert_eq!(choose(asked), expected);
}
