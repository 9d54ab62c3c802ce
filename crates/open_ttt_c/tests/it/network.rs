use super::safe::{Game, Player, add_network};

const NETWORK: &[u8] = include_bytes!("../../../open_ttt_catalog/networks/tic_tac_toe.safetensors");

/// The move that a player chooses in a game of tic-tac-toe, or the error.
fn choose(player: &str) -> Result<String, String> {
    let game = Game::new(c"ttt")?;
    Player::new(&game, player)?.choose(&game)
}

#[test]
fn a_network_that_is_given_plays() {
    let asked = "net:given(simulations=16,seed=1)";
    let missing = choose(asked).unwrap_err();
    assert!(missing.contains("not given"), "{missing}");
    assert!(add_network("given", &NETWORK[..100]).is_err());
    assert!(choose(asked).is_err());
    assert_eq!(add_network("given", NETWORK), Ok(()));
    let expected = choose("net:pretrained(simulations=16,seed=1)");
    assert!(expected.is_ok());
    assert_eq!(choose(asked), expected);
}
