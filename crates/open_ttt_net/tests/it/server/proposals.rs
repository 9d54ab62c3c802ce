//! What becomes of proposals, whoever else proposes.

use serde_json::json;

use super::harness::start;

#[tokio::test]
async fn a_stolen_id_and_number_answer_nobody_else() {
    let server = start().await;
    let (id, ann_token) = server.create("ttt").await;
    let bob_token = server.join(&id, "Bob").await;
    let mut ann = server.connect(&id, "ann", Some(&ann_token)).await;
    // Bob uses Ann's id, which every entry of hers shows, and her next number.
    let mut bob = server.connect(&id, "ann", Some(&bob_token)).await;
    bob.act(json!("offer_draw"), &mut []).await;

    // Her move crosses his offer.
    let act = json!({"move": {"text": "b2"}});
    let crossing = json!({"type": "propose", "number": 1, "base": 2, "act": act});
    ann.send(&crossing).await;
    let offer = ann.receive_type("change").await;
    assert_eq!(
        (&offer["client"], &offer["number"]),
        (&json!("ann"), &json!(1))
    );
    assert_eq!(offer["transition"]["by"], "b");
    let overtaken = ann.receive_type("overtaken").await;
    assert_eq!(
        (&overtaken["number"], &overtaken["sequence"]),
        (&json!(1), &json!(3))
    );
    // Bob's own proposal is still recognized.
    let again = json!({"type": "propose", "number": 1, "base": 2, "act": "offer_draw"});
    bob.send(&again).await;
    assert_eq!(bob.receive_type("duplicate").await["sequence"], 3);
    server.end().await;
}
