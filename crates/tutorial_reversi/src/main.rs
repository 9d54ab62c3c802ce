mod game;

fn main() -> std::process::ExitCode {
    open_ttt::run(open_ttt::Catalog::bundled().with::<game::Reversi>())
}
