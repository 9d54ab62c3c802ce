use open_ttt_lib::games::ConnectFour; use open_ttt_lib::rules::play_text; use open_ttt_lib::search::Prover; use std::time::Instant;
fn main(){
  let cold = std::env::args().nth(2).is_none();
  let mut p=Prover::new(64<<20);
  for f in ["Test_L3_R1","Test_L2_R1","Test_L1_R1"] {
    let t=std::fs::read_to_string(format!("{}/{f}",std::env::args().nth(1).unwrap())).unwrap();
    let n = if f=="Test_L1_R1"{200}else{500};
    let pos:Vec<_>=t.lines().take(n).map(|l|{let (a,b)=l.split_once(' ').unwrap();let mut g=ConnectFour::new();play_text(&mut g,a).unwrap();(g,b.trim().parse::<i32>().unwrap())}).collect();
    p.nodes=0; let s=Instant::now(); let mut bad=0;
    for (g,v) in &pos { if cold {p.clear();} if p.value(g)!=*v {bad+=1;} }
    let e=s.elapsed();
    println!("{f}: {:.2} us/pos  {:.1} nodes/pos  {:.1} Mn/s bad {bad}", e.as_secs_f64()*1e6/n as f64, p.nodes as f64/n as f64, p.nodes as f64/e.as_secs_f64()/1e6);
  }
}
