"""bpm, insq, inst and nerr8 to nerr11: gain per document read, while it pays to go on. ir_measures agrees with them."""

from ._cases import assert_worked_out, each_metric

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    # gains 1/4, 0, 1: after three documents the user has 5/4 of the 1 they want
    ("bpm(max_grade=4)@10", [1, None, 4, 4], [], 5 / 4 / 3),
    ("bpm@5", [1], [], 1),
    ("bpm(t=2)@5", [1], [], 1 / 5),  # never satisfied, so all five ranks are read
    ("bpm@2", [0, 1, 1], [], 1 / 2),
    ("bpm(min_grade=1)@5", [1, 3], [], 1 / 2),
    ("bpm(max_grade=1)@5", [3], [], 1),  # a grade above the scale is its top
    ("bpm@5", [2], [4], 2 / 4 / 5),  # the scale ends at the largest grade of all judgments
    ("bpm@5", [2], [4], 1, {"max_grade": 2}),
    # with t = 1 the user goes on with (2/3)² after rank 1 and (3/4)² after rank 2, so reaches rank 3 with (2/4)²
    ("insq(depth=3)", [2, None, 1], [], (1 + (2 / 4) ** 2 * 1 / 2) / (1 + (2 / 3) ** 2 + (2 / 4) ** 2)),
    # c is 1 + 2 − 1 = 2 after a perfect first document, so the second is read with (1/2)²;
    # c is then 2 + 2 − 1 = 3, so the third is read with (1/2)² · (2/3)²
    ("inst(depth=3)", [2, None, 1], [], (1 + 1 / 4 * 4 / 9 / 2) / (1 + 1 / 4 + 1 / 4 * 4 / 9)),
    # gains 1/2, 0, 1: rank 2 is reached with 1/2, rank 3 too, rank 4 never
    ("nerr8@4", [1, None, 2, 2], [], (1 / 2 + 1 / 2) / (1 + 1 / 2 + 1 / 2)),
    ("nerr8@1", [0, 1], [], 0),
    ("nerr8@4", [0, 1], [], 1 / 2),
    ("nerr8(max_grade=2)@2", [1], [], 1 / 2 / (1 + 1 / 2)),  # past the end nothing is gained, but it is read
    ("nerr8(min_grade=1)@1", [2], [3], 1 / 2),
    ("nerr8@1", [1], [], 1 / 4, {"max_grade": 4}),
    ("nerr9@4", [1, None, 2, 2], [], (1 / 2 + 1 / 6) / (1 + 1 / 4 + 1 / 6)),  # rank 2 with 1/2 · 1/2, rank 3 with 2/3 of it
    ("nerr9@2", [0, 1], [], 1 / 2 / (1 + 1 / 2)),
    ("nerr9(min_grade=1)@1", [2], [3], 1 / 2),
    ("nerr9@1", [1], [], 1 / 4, {"max_grade": 4}),
    (
        "nerr10(p=0.8)",
        [1, None, 2, 2],
        [],
        (1 / 2 + 0.32) / (1 + 0.4 + 0.32),
    ),  # 0.8 · 1/2, then with 0.8 of it
    ("nerr10(p=0.5, depth=2)", [0, 1], [], 0.5 / 1.5),
    # rank 2 is reached with (2/3)² · 1/2, rank 3 with (3/4)² of that, rank 4 never
    ("nerr11", [1, None, 2, 2], [], (1 / 2 + 2 / 9 * 9 / 16) / (1 + 2 / 9 + 2 / 9 * 9 / 16)),
    ("nerr11(depth=2)", [0, 1], [], 4 / 9 / (1 + 4 / 9)),
    *(
        row
        for name in ("insq", "inst", "nerr10", "nerr11")
        for row in (
            (f"{name}(depth=1)", [1, 0], [], 1),
            (f"{name}(depth=1)", [0, 1], [], 0),
            (f"{name}(depth=1, max_grade=2)", [1], [], 1 / 2),
            (f"{name}(depth=1, min_grade=1)", [2], [3], 1 / 2),
            (f"{name}(depth=1)", [1], [], 1 / 4, {"max_grade": 4}),
        )
    ),
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)
