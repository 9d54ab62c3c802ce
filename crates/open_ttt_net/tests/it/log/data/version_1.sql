PRAGMA application_id = 1869902964;
PRAGMA user_version = 2;
CREATE TABLE matches (
        number INTEGER PRIMARY KEY,
        match TEXT NOT NULL UNIQUE
    ) STRICT;
CREATE TABLE entries (
        place INTEGER PRIMARY KEY,
        match INTEGER NOT NULL,
        sequence INTEGER NOT NULL CHECK (sequence > 0),
        entry BLOB NOT NULL
    ) STRICT;
CREATE TABLE places (
        match INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        place INTEGER NOT NULL,
        PRIMARY KEY (match, sequence)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE indexed (place INTEGER NOT NULL) STRICT;
CREATE TABLE notices (
        match TEXT NOT NULL PRIMARY KEY,
        posted INTEGER NOT NULL UNIQUE,
        notice BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE probe (room BLOB NOT NULL) STRICT;
INSERT INTO matches VALUES (1, 'cosj52wervnc');
INSERT INTO matches VALUES (2, 'jlowl8141vz4');
INSERT INTO matches VALUES (3, '19uo80fk5lki');
INSERT INTO matches VALUES (4, '9fohwiekx8mi');
INSERT INTO matches VALUES (5, 'e7ko8ctx7188');
INSERT INTO matches VALUES (6, 'lc26brlpeto6');
INSERT INTO matches VALUES (7, 'ezfgi8a9q5b6');
INSERT INTO entries VALUES (1, 1, 1, CAST('{"version":1,"settings":{"game":"connect4","first":"a"},"listed":false,"at":1795420535778}' AS BLOB));
INSERT INTO entries VALUES (2, 1, 2, CAST('{"client":"server-vz0z1bou3cl1","number":1,"transition":{"at":1795420535786,"by":"server","act":{"join":{"seat":"a","player":{"name":"Ann"}}}},"key":"79490e1345f7b6bcabb9a9f5fe66e4d276ad4da71930cca529da71be0567f6c1"}' AS BLOB));
INSERT INTO entries VALUES (3, 1, 3, CAST('{"client":"server-vz0z1bou3cl1","number":2,"transition":{"at":1795420535790,"by":"server","act":{"join":{"seat":"b","player":{"name":"Bob Ö"}}}},"key":"7d4dacbe9ea4d59b3eeb046a3668b23b8727cd677ddc6a1a9b1f8d8cc4224db1"}' AS BLOB));
INSERT INTO entries VALUES (4, 1, 4, CAST('{"client":"ann-cosj52wervnc","number":1,"transition":{"at":1795420535792,"by":"a","act":{"move":{"text":"4"}}}}' AS BLOB));
INSERT INTO entries VALUES (5, 1, 5, CAST('{"client":"bob-cosj52wervnc","number":1,"transition":{"at":1795420535793,"by":"b","act":{"move":{"text":"4"}}}}' AS BLOB));
INSERT INTO entries VALUES (6, 1, 6, CAST('{"client":"ann-cosj52wervnc","number":2,"transition":{"at":1795420535793,"by":"a","act":{"move":{"text":"5"}}}}' AS BLOB));
INSERT INTO entries VALUES (7, 1, 7, CAST('{"client":"ann-cosj52wervnc","number":3,"transition":{"at":1795420535794,"by":"a","act":"ask_take_back"}}' AS BLOB));
INSERT INTO entries VALUES (8, 1, 8, CAST('{"client":"bob-cosj52wervnc","number":2,"transition":{"at":1795420535794,"by":"b","act":"grant_take_back"}}' AS BLOB));
INSERT INTO entries VALUES (9, 1, 9, CAST('{"client":"ann-cosj52wervnc","number":4,"transition":{"at":1795420535795,"by":"a","act":{"move":{"text":"3"}}}}' AS BLOB));
INSERT INTO entries VALUES (10, 1, 10, CAST('{"client":"bob-cosj52wervnc","number":3,"transition":{"at":1795420535795,"by":"b","act":{"move":{"text":"3"}}}}' AS BLOB));
INSERT INTO entries VALUES (11, 1, 11, CAST('{"client":"bob-cosj52wervnc","number":4,"transition":{"at":1795420535795,"by":"b","act":"ask_take_back"}}' AS BLOB));
INSERT INTO entries VALUES (12, 1, 12, CAST('{"client":"ann-cosj52wervnc","number":5,"transition":{"at":1795420535796,"by":"a","act":"refuse_take_back"}}' AS BLOB));
INSERT INTO entries VALUES (13, 1, 13, CAST('{"client":"ann-cosj52wervnc","number":6,"transition":{"at":1795420535796,"by":"a","act":"offer_draw"}}' AS BLOB));
INSERT INTO entries VALUES (14, 2, 1, CAST('{"version":1,"settings":{"game":"ttt","first":"a"},"listed":false,"at":1795420535797}' AS BLOB));
INSERT INTO entries VALUES (15, 2, 2, CAST('{"client":"server-vz0z1bou3cl1","number":3,"transition":{"at":1795420535798,"by":"server","act":{"join":{"seat":"a","player":{"name":"Ann"}}}},"key":"4e40dfe500fed6f5b30e13efd8a6345e1be0e9986e8fe02a57d2cebcf60c8da4"}' AS BLOB));
INSERT INTO entries VALUES (16, 2, 3, CAST('{"client":"server-vz0z1bou3cl1","number":4,"transition":{"at":1795420535805,"by":"server","act":{"join":{"seat":"b","player":{"name":"Bob Ö"}}}},"key":"ec8e4863c738b443f433556014ebca9a097651f7e3a05007e9166bc9336827d7"}' AS BLOB));
INSERT INTO entries VALUES (17, 2, 4, CAST('{"client":"ann-jlowl8141vz4","number":1,"transition":{"at":1795420535807,"by":"a","act":{"move":{"text":"a1"}}}}' AS BLOB));
INSERT INTO entries VALUES (18, 2, 5, CAST('{"client":"bob-jlowl8141vz4","number":1,"transition":{"at":1795420535808,"by":"b","act":{"move":{"text":"b1"}}}}' AS BLOB));
INSERT INTO entries VALUES (19, 2, 6, CAST('{"client":"ann-jlowl8141vz4","number":2,"transition":{"at":1795420535810,"by":"a","act":{"move":{"text":"a2"}}}}' AS BLOB));
INSERT INTO entries VALUES (20, 2, 7, CAST('{"client":"bob-jlowl8141vz4","number":2,"transition":{"at":1795420535814,"by":"b","act":{"move":{"text":"b2"}}}}' AS BLOB));
INSERT INTO entries VALUES (21, 2, 8, CAST('{"client":"ann-jlowl8141vz4","number":3,"transition":{"at":1795420535818,"by":"a","act":{"move":{"text":"a3"}}}}' AS BLOB));
INSERT INTO entries VALUES (22, 2, 9, CAST('{"client":"ann-jlowl8141vz4","number":4,"transition":{"at":1795420535822,"by":"a","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (23, 2, 10, CAST('{"client":"bob-jlowl8141vz4","number":3,"transition":{"at":1795420535826,"by":"b","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (24, 2, 11, CAST('{"client":"bob-jlowl8141vz4","number":4,"transition":{"at":1795420535830,"by":"b","act":{"move":{"text":"b2"}}}}' AS BLOB));
INSERT INTO entries VALUES (25, 2, 12, CAST('{"client":"ann-jlowl8141vz4","number":5,"transition":{"at":1795420535834,"by":"a","act":"offer_draw"}}' AS BLOB));
INSERT INTO entries VALUES (26, 2, 13, CAST('{"client":"bob-jlowl8141vz4","number":5,"transition":{"at":1795420535838,"by":"b","act":"accept_draw"}}' AS BLOB));
INSERT INTO entries VALUES (27, 2, 14, CAST('{"client":"ann-jlowl8141vz4","number":6,"transition":{"at":1795420535839,"by":"a","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (28, 2, 15, CAST('{"client":"bob-jlowl8141vz4","number":6,"transition":{"at":1795420535839,"by":"b","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (29, 2, 16, CAST('{"client":"ann-jlowl8141vz4","number":7,"transition":{"at":1795420535840,"by":"a","act":{"move":{"text":"c3"}}}}' AS BLOB));
INSERT INTO entries VALUES (30, 2, 17, CAST('{"client":"bob-jlowl8141vz4","number":7,"transition":{"at":1795420535842,"by":"b","act":"resign"}}' AS BLOB));
INSERT INTO entries VALUES (31, 3, 1, CAST('{"version":1,"settings":{"game":"reversi","clock":{"initial_ms":300000,"increment_ms":3000},"first":"a"},"listed":false,"at":1795420535847}' AS BLOB));
INSERT INTO entries VALUES (32, 3, 2, CAST('{"client":"server-vz0z1bou3cl1","number":5,"transition":{"at":1795420535850,"by":"server","act":{"join":{"seat":"a","player":{"name":"Ann"}}}},"key":"3ff62dc6ea8d09e3013626f0633f9fd5b982ced201d770f99ba13175f121f0d6"}' AS BLOB));
INSERT INTO entries VALUES (33, 3, 3, CAST('{"client":"server-vz0z1bou3cl1","number":6,"transition":{"at":1795420535856,"by":"server","act":{"join":{"seat":"b","player":{"name":"Bob Ö"}}}},"key":"2ce708cdee7028019d79ab51963d6b77f1a6d429f7de8074cd3cd1463ed737ab"}' AS BLOB));
INSERT INTO entries VALUES (34, 3, 4, CAST('{"client":"ann-19uo80fk5lki","number":1,"transition":{"at":1795420535865,"by":"a","act":{"move":{"text":"d3"}}}}' AS BLOB));
INSERT INTO entries VALUES (35, 3, 5, CAST('{"client":"bob-19uo80fk5lki","number":1,"transition":{"at":1795420535871,"by":"b","act":{"move":{"text":"c3"}}}}' AS BLOB));
INSERT INTO entries VALUES (36, 4, 1, CAST('{"version":1,"settings":{"game":"pegs","first":"a"},"listed":false,"at":1795420535875}' AS BLOB));
INSERT INTO entries VALUES (37, 4, 2, CAST('{"client":"server-vz0z1bou3cl1","number":7,"transition":{"at":1795420535878,"by":"server","act":{"join":{"seat":"a","player":{"name":"Ann"}}}},"key":"554a9a539b3ac7c777ebd942c18bee71928945c1d1d7f69ed41907c8dc9f449c"}' AS BLOB));
INSERT INTO entries VALUES (38, 4, 3, CAST('{"client":"server-vz0z1bou3cl1","number":8,"transition":{"at":1795420535882,"by":"server","act":{"join":{"seat":"b","player":{"name":"random(seed=3)","computer":"random(seed=3)"}}}}}' AS BLOB));
INSERT INTO entries VALUES (39, 4, 4, CAST('{"client":"ann-9fohwiekx8mi","number":1,"transition":{"at":1795420535893,"by":"a","act":{"move":{"text":"A"}}}}' AS BLOB));
INSERT INTO entries VALUES (40, 4, 5, CAST('{"client":"server-vz0z1bou3cl1","number":9,"transition":{"at":1795420535899,"by":"b","act":{"move":{"text":"C"}}}}' AS BLOB));
INSERT INTO entries VALUES (41, 5, 1, CAST('{"version":1,"settings":{"game":"mnk(m=5,n=5,k=4)","clock":{"initial_ms":1000,"increment_ms":0},"first":"a"},"listed":false,"at":1795420535903}' AS BLOB));
INSERT INTO entries VALUES (42, 5, 2, CAST('{"client":"server-vz0z1bou3cl1","number":10,"transition":{"at":1795420535906,"by":"server","act":{"join":{"seat":"a","player":{"name":"Ann"}}}},"key":"a3f0a3d6351a4a699996e92a8c26c317377d71f8142c766155ac90282ed1ccdc"}' AS BLOB));
INSERT INTO entries VALUES (43, 5, 3, CAST('{"client":"server-vz0z1bou3cl1","number":11,"transition":{"at":1795420535916,"by":"server","act":{"join":{"seat":"b","player":{"name":"Bob Ö"}}}},"key":"5b8c96477dc077b48196e8a4637d9c5feeab2ff0f3944d863472aa83a649e3bc"}' AS BLOB));
INSERT INTO entries VALUES (44, 5, 4, CAST('{"client":"ann-e7ko8ctx7188","number":1,"transition":{"at":1795420535924,"by":"a","act":{"move":{"text":"a1"}}}}' AS BLOB));
INSERT INTO entries VALUES (45, 5, 5, CAST('{"client":"bob-e7ko8ctx7188","number":1,"transition":{"at":1795420535931,"by":"b","act":{"move":{"text":"b1"}}}}' AS BLOB));
INSERT INTO entries VALUES (46, 5, 6, CAST('{"client":"server-vz0z1bou3cl1","number":12,"transition":{"at":1795420537432,"by":"server","act":"time_out"}}' AS BLOB));
INSERT INTO entries VALUES (47, 6, 1, CAST('{"version":1,"settings":{"game":"qubic","first":"a"},"listed":true,"at":1795420537535}' AS BLOB));
INSERT INTO entries VALUES (48, 6, 2, CAST('{"client":"server-vz0z1bou3cl1","number":13,"transition":{"at":1795420537542,"by":"server","act":{"join":{"seat":"a","player":{"name":"Ann"}}}},"key":"65078fe23faa46fc62d69462d91300cacde82532d2503287a7e4a00a8eae030c"}' AS BLOB));
INSERT INTO entries VALUES (49, 7, 1, CAST('{"version":1,"settings":{"game":"ttt","first":"a"},"listed":false,"at":1795420537553}' AS BLOB));
INSERT INTO entries VALUES (50, 7, 2, CAST('{"client":"server-vz0z1bou3cl1","number":14,"transition":{"at":1795420537566,"by":"server","act":{"join":{"seat":"a","player":{"name":"Ann"}}}},"key":"46a3874b6d4ca65640729aa8881b701205bc5657bb2f9560478cba796cb6c18c"}' AS BLOB));
INSERT INTO entries VALUES (51, 7, 3, CAST('{"client":"server-vz0z1bou3cl1","number":15,"transition":{"at":1795420537576,"by":"server","act":{"join":{"seat":"b","player":{"name":"Bob Ö"}}}},"key":"668c159a9924967601e39f62afd746b3461404e966835a55fda414e1c6ce9088"}' AS BLOB));
INSERT INTO entries VALUES (52, 7, 4, CAST('{"client":"ann-ezfgi8a9q5b6","number":1,"transition":{"at":1795420537584,"by":"a","act":{"move":{"text":"a1"}}}}' AS BLOB));
INSERT INTO entries VALUES (53, 7, 5, CAST('{"client":"bob-ezfgi8a9q5b6","number":1,"transition":{"at":1795420537586,"by":"b","act":{"move":{"text":"b1"}}}}' AS BLOB));
INSERT INTO entries VALUES (54, 7, 6, CAST('{"client":"ann-ezfgi8a9q5b6","number":2,"transition":{"at":1795420537590,"by":"a","act":{"move":{"text":"a2"}}}}' AS BLOB));
INSERT INTO entries VALUES (55, 7, 7, CAST('{"client":"bob-ezfgi8a9q5b6","number":2,"transition":{"at":1795420537598,"by":"b","act":{"move":{"text":"b2"}}}}' AS BLOB));
INSERT INTO entries VALUES (56, 7, 8, CAST('{"client":"ann-ezfgi8a9q5b6","number":3,"transition":{"at":1795420537606,"by":"a","act":{"move":{"text":"a3"}}}}' AS BLOB));
INSERT INTO entries VALUES (57, 7, 9, CAST('{"client":"ann-ezfgi8a9q5b6","number":4,"transition":{"at":1795420537614,"by":"a","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (58, 7, 10, CAST('{"client":"bob-ezfgi8a9q5b6","number":3,"transition":{"at":1795420537622,"by":"b","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (59, 7, 11, CAST('{"client":"bob-ezfgi8a9q5b6","number":4,"transition":{"at":1795420537630,"by":"b","act":{"move":{"text":"a1"}}}}' AS BLOB));
INSERT INTO entries VALUES (60, 7, 12, CAST('{"client":"ann-ezfgi8a9q5b6","number":5,"transition":{"at":1795420537638,"by":"a","act":{"move":{"text":"b1"}}}}' AS BLOB));
INSERT INTO entries VALUES (61, 7, 13, CAST('{"client":"bob-ezfgi8a9q5b6","number":5,"transition":{"at":1795420537646,"by":"b","act":{"move":{"text":"a2"}}}}' AS BLOB));
INSERT INTO entries VALUES (62, 7, 14, CAST('{"client":"ann-ezfgi8a9q5b6","number":6,"transition":{"at":1795420537654,"by":"a","act":{"move":{"text":"b2"}}}}' AS BLOB));
INSERT INTO entries VALUES (63, 7, 15, CAST('{"client":"bob-ezfgi8a9q5b6","number":6,"transition":{"at":1795420537662,"by":"b","act":{"move":{"text":"a3"}}}}' AS BLOB));
INSERT INTO entries VALUES (64, 7, 16, CAST('{"client":"ann-ezfgi8a9q5b6","number":7,"transition":{"at":1795420537670,"by":"a","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (65, 7, 17, CAST('{"client":"bob-ezfgi8a9q5b6","number":7,"transition":{"at":1795420537678,"by":"b","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (66, 7, 18, CAST('{"client":"ann-ezfgi8a9q5b6","number":8,"transition":{"at":1795420537686,"by":"a","act":{"move":{"text":"a1"}}}}' AS BLOB));
INSERT INTO entries VALUES (67, 7, 19, CAST('{"client":"bob-ezfgi8a9q5b6","number":8,"transition":{"at":1795420537690,"by":"b","act":{"move":{"text":"b1"}}}}' AS BLOB));
INSERT INTO entries VALUES (68, 7, 20, CAST('{"client":"ann-ezfgi8a9q5b6","number":9,"transition":{"at":1795420537698,"by":"a","act":{"move":{"text":"a2"}}}}' AS BLOB));
INSERT INTO entries VALUES (69, 7, 21, CAST('{"client":"bob-ezfgi8a9q5b6","number":9,"transition":{"at":1795420537706,"by":"b","act":{"move":{"text":"b2"}}}}' AS BLOB));
INSERT INTO entries VALUES (70, 7, 22, CAST('{"client":"ann-ezfgi8a9q5b6","number":10,"transition":{"at":1795420537714,"by":"a","act":{"move":{"text":"a3"}}}}' AS BLOB));
INSERT INTO entries VALUES (71, 7, 23, CAST('{"client":"ann-ezfgi8a9q5b6","number":11,"transition":{"at":1795420537722,"by":"a","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (72, 7, 24, CAST('{"client":"bob-ezfgi8a9q5b6","number":10,"transition":{"at":1795420537730,"by":"b","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (73, 7, 25, CAST('{"client":"bob-ezfgi8a9q5b6","number":11,"transition":{"at":1795420537735,"by":"b","act":{"move":{"text":"a1"}}}}' AS BLOB));
INSERT INTO entries VALUES (74, 7, 26, CAST('{"client":"ann-ezfgi8a9q5b6","number":12,"transition":{"at":1795420537738,"by":"a","act":{"move":{"text":"b1"}}}}' AS BLOB));
INSERT INTO entries VALUES (75, 7, 27, CAST('{"client":"bob-ezfgi8a9q5b6","number":12,"transition":{"at":1795420537743,"by":"b","act":{"move":{"text":"a2"}}}}' AS BLOB));
INSERT INTO entries VALUES (76, 7, 28, CAST('{"client":"ann-ezfgi8a9q5b6","number":13,"transition":{"at":1795420537747,"by":"a","act":{"move":{"text":"b2"}}}}' AS BLOB));
INSERT INTO entries VALUES (77, 7, 29, CAST('{"client":"bob-ezfgi8a9q5b6","number":13,"transition":{"at":1795420537751,"by":"b","act":{"move":{"text":"a3"}}}}' AS BLOB));
INSERT INTO entries VALUES (78, 7, 30, CAST('{"client":"ann-ezfgi8a9q5b6","number":14,"transition":{"at":1795420537754,"by":"a","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (79, 7, 31, CAST('{"client":"bob-ezfgi8a9q5b6","number":14,"transition":{"at":1795420537759,"by":"b","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (80, 7, 32, CAST('{"client":"ann-ezfgi8a9q5b6","number":15,"transition":{"at":1795420537762,"by":"a","act":{"move":{"text":"a1"}}}}' AS BLOB));
INSERT INTO entries VALUES (81, 7, 33, CAST('{"client":"bob-ezfgi8a9q5b6","number":15,"transition":{"at":1795420537767,"by":"b","act":{"move":{"text":"b1"}}}}' AS BLOB));
INSERT INTO entries VALUES (82, 7, 34, CAST('{"client":"ann-ezfgi8a9q5b6","number":16,"transition":{"at":1795420537770,"by":"a","act":{"move":{"text":"a2"}}}}' AS BLOB));
INSERT INTO entries VALUES (83, 7, 35, CAST('{"client":"bob-ezfgi8a9q5b6","number":16,"transition":{"at":1795420537775,"by":"b","act":{"move":{"text":"b2"}}}}' AS BLOB));
INSERT INTO entries VALUES (84, 7, 36, CAST('{"client":"ann-ezfgi8a9q5b6","number":17,"transition":{"at":1795420537778,"by":"a","act":{"move":{"text":"a3"}}}}' AS BLOB));
INSERT INTO entries VALUES (85, 7, 37, CAST('{"client":"ann-ezfgi8a9q5b6","number":18,"transition":{"at":1795420537782,"by":"a","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (86, 7, 38, CAST('{"client":"bob-ezfgi8a9q5b6","number":17,"transition":{"at":1795420537786,"by":"b","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (87, 7, 39, CAST('{"client":"bob-ezfgi8a9q5b6","number":18,"transition":{"at":1795420537788,"by":"b","act":{"move":{"text":"a1"}}}}' AS BLOB));
INSERT INTO entries VALUES (88, 7, 40, CAST('{"client":"ann-ezfgi8a9q5b6","number":19,"transition":{"at":1795420537790,"by":"a","act":{"move":{"text":"b1"}}}}' AS BLOB));
INSERT INTO entries VALUES (89, 7, 41, CAST('{"client":"bob-ezfgi8a9q5b6","number":19,"transition":{"at":1795420537794,"by":"b","act":{"move":{"text":"a2"}}}}' AS BLOB));
INSERT INTO entries VALUES (90, 7, 42, CAST('{"client":"ann-ezfgi8a9q5b6","number":20,"transition":{"at":1795420537798,"by":"a","act":{"move":{"text":"b2"}}}}' AS BLOB));
INSERT INTO entries VALUES (91, 7, 43, CAST('{"client":"bob-ezfgi8a9q5b6","number":20,"transition":{"at":1795420537802,"by":"b","act":{"move":{"text":"a3"}}}}' AS BLOB));
INSERT INTO entries VALUES (92, 7, 44, CAST('{"client":"ann-ezfgi8a9q5b6","number":21,"transition":{"at":1795420537803,"by":"a","act":"rematch"}}' AS BLOB));
INSERT INTO entries VALUES (93, 7, 45, CAST('{"client":"bob-ezfgi8a9q5b6","number":21,"transition":{"at":1795420537806,"by":"b","act":"rematch"}}' AS BLOB));
INSERT INTO indexed VALUES (0);
INSERT INTO notices VALUES ('lc26brlpeto6', 1, CAST('{"match":"lc26brlpeto6","game":"qubic","name":"Ann","since":1795420537535}' AS BLOB));
