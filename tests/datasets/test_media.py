"""Images and other files of queries and documents: where readers find them, what is checked, and image–caption sets."""

import json

import pytest

import assay
from assay import BenchmarkDataset, DataError, Document, Query, load_dataset
from assay.datasets import check_dataset, find_media, media_root, read_image
from assay.model import kind_of_media

from ._benchmarks import SAMPLES
from ._files import put_all

PNG = b"\x89PNG\r\n\x1a\n"
CAPTIONS = SAMPLES / "captions_val.json"


def coco(*numbers, name="{}.png"):
    return {
        "images": [{"id": number, "file_name": name.format(number)} for number in numbers],
        "annotations": [{"id": 10 + number, "image_id": number, "caption": f"caption {number}"} for number in numbers],
    }


def codes(dataset):
    return {finding.code: finding.places for finding in check_dataset(dataset)}


# ---- fields


@pytest.mark.parametrize(
    ("fields", "media"),
    [
        ({"image": "a/b.png"}, "a/b.png"),
        ({"media": " sound.wav "}, "sound.wav"),
        ({"image": "https://example.org/1"}, "https://example.org/1"),
        ({"image": "a.png", "media": "b.wav"}, "a.png"),  # the image comes first
        ({"media": "print", "image": 7}, None),  # a tag and a number, not files
        ({}, None),
    ],
)
def test_metadata_name_a_file(fields, media):
    assert Document("d", metadata=fields).media == media
    assert Query("q", metadata=fields).media == media
    assert Query("q", metadata=fields).is_empty == (media is None)


def test_a_path_is_not_a_tag_but_other_values_are():
    assert Query("q", metadata={"image": "a.png", "media": "print", "language": "de"}).tags == {
        "media": "print",
        "language": "de",
    }


def test_tables_have_other_names_for_the_fields(tmp_path):
    folder = put_all(
        tmp_path / "set",
        {
            "queries.csv": "query_id,Image Path,video,ignored_ids,relevant_ids\nq1,q.png,yes,d3;d4,d1\n",
            "documents.jsonl": '{"doc_id": "d1", "audio": "a.wav"}\n{"doc_id": "d2", "text": "x", "image": {"bytes": 1}}\n',
        },
    )
    dataset = load_dataset(folder)
    assert dataset.queries["q1"] == Query("q1", metadata={"image": "q.png", "video": "yes"})
    assert dict(dataset.qrels["q1"]) == {"d1": 1, **dict.fromkeys(("d3", "d4"), assay.model.IGNORED)}
    assert [document.metadata for document in dataset.documents.values()] == [{"media": "a.wav"}, {"image": {"bytes": 1}}]


def test_fingerprints_of_texts_do_not_change_and_those_of_images_depend_on_the_path():
    def fingerprint(**metadata):
        dataset = BenchmarkDataset(documents={"d": Document("d", "x", metadata=metadata or None)})
        return dataset.fingerprint("documents")

    assert fingerprint() == fingerprint(media="print") != fingerprint(image="a.png") != fingerprint(image="b.png")


def test_queries_with_an_image_count_and_empty_ones_do_not():
    dataset = BenchmarkDataset(
        queries={"a": Query("a", metadata={"image": "a.png"}), "b": Query("b"), "c": Query("c", "c")},
        qrels={name: {"d": 1} for name in "abc"},
    )
    result = assay.evaluate(dataset, {name: ["d"] for name in "abc"}, "mrr")
    assert result.scores("mrr") == {"a": 1, "c": 1}
    assert "1 judged query has no text and is left out (b)." in result.notes


# ---- files


def test_only_files_inside_the_folder_are_found(tmp_path):
    root = tmp_path / "set"
    put_all(root, {"a.png": PNG, "sub/b.png": PNG})
    (tmp_path / "secret.png").write_bytes(PNG)
    (root / "link.png").symlink_to(tmp_path / "secret.png")
    (root / "inside.png").symlink_to(root / "a.png")
    assert find_media(root, "sub/b.png").path == (root / "sub" / "b.png").resolve()
    assert find_media(root, "inside.png").path == (root / "a.png").resolve()
    outside = (
        "../secret.png",
        "sub/../../secret.png",
        str(tmp_path / "secret.png"),
        "link.png",
        "C:/x.png",
        "\\x.png",
        "a\0.png",
    )
    assert {find_media(root, place).fault for place in outside} <= {"outside", "address"}
    assert not any(find_media(root, place).path for place in outside)
    assert find_media(root, "none.png").fault == find_media(root, "x" * 5000 + ".png").fault == "missing"
    assert find_media(root, "https://example.org/a.png").fault == "address"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", ""),
        (b"<html>", ""),
        (b"RIFF\0\0\0\0WAVE", ""),
        (b"", ""),
    ],
)
def test_an_image_is_known_by_its_first_bytes(tmp_path, content, kind):
    (tmp_path / "a.png").write_bytes(content)
    file = find_media(tmp_path, "a.png")
    assert read_image(file, 100) == ((kind, content) if kind else None)
    assert read_image(file, max(len(content) - 1, 0)) is None  # too large


def test_checks(tmp_path):
    rows = ["a.png", "none.png", "../out.png", "https://example.org/x", "a.xyz"]
    documents = "".join(f'{{"doc_id": "d{n}", "image": "{place}"}}\n' for n, place in enumerate(rows))
    queries = '{"query_id": "q", "image": "gone.png", "relevant_ids": ["d0"]}\n'
    put_all(tmp_path / "set", {"queries.jsonl": queries, "documents.jsonl": documents, "a.png": PNG, "a.xyz": "?"})
    found = codes(load_dataset(tmp_path / "set"))
    assert [place.split(", ")[-1] for place in found["missing-media"]] == ["query q", "document d1"]
    assert [place.split(", ")[-1] for place in found["media-outside-folder"]] == ["document d2"]
    assert [place.split(", ")[-1] for place in found["unknown-media-type"]] == ["document d4"]
    assert not {"empty-document", "empty-query", "duplicate-documents"} & found.keys()


def test_kinds_of_files():
    known = {
        "a.PNG": "image",
        "b.wav": "audio",
        "c/d.mp4": "video",
        "x.pdf": "other",
        "x": "",
        "https://h/p.jpg?s=1": "image",
    }
    assert {place: kind_of_media(place) for place in known} == known


# ---- image–caption sets


def test_both_directions_of_coco():
    images = load_dataset(CAPTIONS)
    assert images.name == "captions_val:text_to_image"
    assert {query.query_id: query.text for query in images.queries.values()} == {
        "1": "A cat sleeps on a red sofa.",
        "2": "A sleeping cat.",
        "3": "A dog runs over a green field.",
    }
    assert images.qrels == {"1": {"cat.png": 1}, "2": {"cat.png": 1}, "3": {"dog.png": 1}}
    assert images.documents["cat.png"].media == "https://images.example/cat.png"  # the image is not here, so its URL is text
    texts = load_dataset(f"{CAPTIONS}:image_to_text")
    assert texts.qrels == {"cat.png": {"1": 1, "2": 1}, "dog.png": {"3": 1}}
    assert texts.queries["cat.png"] == Query("cat.png", metadata={"image": "https://images.example/cat.png"})
    assert texts.documents["3"].text == "A dog runs over a green field."


def test_a_folder_of_coco_with_its_images(tmp_path):
    files = {"annotations/captions_val2017.json": coco(1, 2), "val2017/1.png": PNG, "val2017/2.png": PNG}
    folder = put_all(tmp_path / "coco", files)
    for source in (folder, folder / "annotations" / "captions_val2017.json"):
        dataset = load_dataset(source)
        assert [document.media for document in dataset.documents.values()] == ["val2017/1.png", "val2017/2.png"]
        assert media_root(dataset) == folder
        assert "missing-media" not in codes(dataset)
    (folder / "val2017" / "2.png").unlink()
    assert codes(load_dataset(folder))["missing-media"] == ("document 2.png",)


def test_splits_and_directions_are_chosen_after_a_colon(tmp_path):
    images = [
        {
            "filename": f"{split}.jpg",
            "filepath": "val2014",
            "split": split,
            "sentences": [{"raw": split, "sentid": n}, {"raw": "x"}],
        }
        for n, split in enumerate(("train", "test", "restval", "val"))
    ]
    path = put_all(tmp_path, {"dataset.json": {"images": images}}) / "dataset.json"
    assert list(load_dataset(path).documents) == ["test.jpg"]
    assert load_dataset(path).queries.keys() == {"1", "test.jpg#1"}
    assert list(load_dataset(f"{path}:train").documents) == ["train.jpg", "restval.jpg"]
    chosen = load_dataset(f"{path}:val,image_to_text")
    assert (chosen.name, chosen.metadata) == ("dataset:val:image_to_text", {"direction": "image_to_text", "split": "val"})
    assert chosen.queries["val.jpg"].media == "val2014/val.jpg"
    for wrong, what in (
        ("vla", "Did you mean val"),
        ("image_to_txt", "Did you mean image_to_text"),
        ("val,test", "at most one split"),
    ):
        with pytest.raises(assay.AssayError, match=what):
            load_dataset(f"{path}:{wrong}")
    two = put_all(tmp_path / "coco", {f"captions_{split}.json": coco(1) for split in ("a", "b")})
    with pytest.raises(DataError, match="write coco:a or coco:b"):
        load_dataset(two)
    assert load_dataset(f"{two}:b").name == "coco:text_to_image"


def test_the_table_of_flickr30k_with_its_damaged_row(tmp_path):
    rows = ["image_name| comment_number| comment", "a.jpg| 0| Two dogs , one ball .", "a.jpg| 1   A dog runs ."]
    path = put_all(tmp_path, {"results.csv": "\n".join(rows) + "\n"}) / "results.csv"
    dataset = load_dataset(path)
    assert {key: query.text for key, query in dataset.queries.items()} == {
        "a.jpg#0": "Two dogs , one ball .",
        "a.jpg#1": "A dog runs .",
    }
    assert [repair.what for repair in dataset.repairs] == ["a separator is missing after the number of the caption"]
    flickr8k = put_all(tmp_path / "8k", {"captions.txt": 'image,caption\na.jpg,"Red, blue ."\n'})
    assert [query.text for query in load_dataset(flickr8k).queries.values()] == ["Red, blue ."]


CAPTION_LINES = """\
{"image": {"bytes": "x"}, "file_name": "a.png", "caption": "A \\"red\\", big shoe"}
{"file_name": "b.png", "caption": ["Blue, green"]}
{"file_name": "a.png", "caption": "Red"}
"""


def texts_of(dataset):
    return {key: query.text for key, query in dataset.queries.items()}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("captions.csv", 'filename,caption\na.png,"A ""red"", big shoe"\nb.png,Blue, green\na.png,Red\n'),
        ("metadata.csv", 'file_name,text\na.png,"A ""red"", big shoe"\nb.png,"Blue, green"\na.png,Red\n'),
        ("products.tsv", 'sku\timage_path\talt\n1\ta.png\tA "red", big shoe\n2\tb.png\tBlue, green\n3\ta.png\tRed\n'),
        ("captions.jsonl", CAPTION_LINES),
        ("Flickr8k.token.txt", 'a.png#0\tA "red", big shoe\nb.png#0\tBlue, green\na.png#1\tRed\n'),
        (
            "results.csv",
            'image_name| comment_number| comment\na.png| 0| A "red", big shoe\nb.png| 0| Blue, green\na.png| 1| Red\n',
        ),
    ],
)
def test_tables_of_captions_in_the_order_of_the_file(tmp_path, name, content):
    """Captions of an image need not stand together; vectors without ids are in the order of the file."""
    folder = put_all(tmp_path / "shop", {name: content, "photos/a.png": PNG, "photos/b.png": PNG})
    for source in (folder, folder / name):
        images = load_dataset(source)
        assert list(texts_of(images).items()) == [
            ("a.png#0", 'A "red", big shoe'),
            ("b.png#0", "Blue, green"),
            ("a.png#1", "Red"),
        ]
        assert {key: document.media for key, document in images.documents.items()} == {
            "a.png": "photos/a.png",
            "b.png": "photos/b.png",
        }
        assert "missing-media" not in codes(images)
    texts = load_dataset(f"{folder}:image_to_text")
    assert list(texts.documents) == ["a.png#0", "b.png#0", "a.png#1"]
    assert texts.qrels == {"a.png": {"a.png#0": 1, "a.png#1": 1}, "b.png": {"b.png#0": 1}}


def test_annotations_of_coco_are_in_the_order_of_the_file(tmp_path):
    content = coco(1, 2)
    content["annotations"] = [{"id": n, "image_id": 1 + n % 2, "caption": f"c{n}"} for n in range(4)]
    dataset = load_dataset(put_all(tmp_path / "coco", {"captions_val.json": content}))
    assert list(dataset.queries) == ["0", "1", "2", "3"]


def test_images_of_the_same_name_are_called_by_their_paths(tmp_path):
    table = "image,caption\nhats/1.png,A hat\nshoes/1.png,A shoe\n"
    folder = put_all(tmp_path / "shop", {"captions.csv": table, "hats/1.png": PNG, "shoes/1.png": PNG})
    dataset = load_dataset(folder)
    assert dataset.qrels == {"hats/1.png#0": {"hats/1.png": 1}, "shoes/1.png#0": {"shoes/1.png": 1}}
    assert [document.media for document in dataset.documents.values()] == ["hats/1.png", "shoes/1.png"]


def test_columns_of_captions_ids_and_splits(tmp_path):
    table = "photo_of;words;caption_id;split\na.png;Red;c7;test\nb.png;Blue;c8;train\n"
    folder = put_all(tmp_path / "shop", {"items.csv": table})
    with pytest.raises(DataError, match="not recognised"):
        load_dataset(folder)
    dataset = load_dataset(folder, columns={"image": "photo_of", "caption": "words"})
    assert (dataset.name, texts_of(dataset)) == ("shop:test:text_to_image", {"c7": "Red"})
    with pytest.raises(DataError, match=r"/captions\.csv:2: expected an image and a caption"):
        load_dataset(put_all(tmp_path / "bad", {"captions.csv": "image,caption,caption_id,split\n,Red,c7,test\n"}))
    with pytest.raises(DataError, match=r"jsonl: 1 fault\n  \S+/bad2/captions\.jsonl:1: expected an image"):
        load_dataset(put_all(tmp_path / "bad2", {"captions.jsonl": '{"image": "a.png", "caption": ["Red", 5]}\n'}))
    with pytest.raises(DataError, match="expected image, caption, caption_id, found"):
        load_dataset(put_all(tmp_path / "short", {"captions.csv": "image,caption,caption_id\na.png,Red\n"}))
    with pytest.raises(DataError, match="a second caption has the id c7"):
        load_dataset(put_all(tmp_path / "twice", {"captions.csv": "image,caption,caption_id\na.png,R,c7\nb.png,B,c7\n"}))


def captions_in(folder, *rows):
    """A folder with a table of captions, with ids and splits."""
    return put_all(folder, {"captions.csv": "\n".join(["image,caption,caption_id,split", *rows, ""])})


def test_a_caption_without_an_id_never_takes_the_id_of_another_one(tmp_path):
    for number, rows in enumerate((["a.jpg,one,,", "a.jpg,x,a.jpg#0,"], ["a.jpg,x,a.jpg#1,", "a.jpg,one,,"])):
        line, name = 2 + number, f"a.jpg#{number}"
        with pytest.raises(
            DataError, match=rf"captions\.csv:{line}: the caption has no id, and {name} is the id of another one"
        ):
            load_dataset(captions_in(tmp_path / str(number), *rows))
    dataset = load_dataset(captions_in(tmp_path / "mixed", "a.jpg,x,a.jpg#7,", "a.jpg,one,,"))
    assert texts_of(dataset) == {"a.jpg#7": "x", "a.jpg#1": "one"}
    dataset = load_dataset(captions_in(tmp_path / "left", "a.jpg,one,,", "b.jpg,x,a.jpg#0,", "b.jpg,y,,"), lenient=0.6)
    assert texts_of(dataset) == {"a.jpg#0": "x", "b.jpg#1": "y"}


def test_an_image_has_one_split_whatever_the_order_of_the_rows(tmp_path):
    rows = ["a.jpg,one,1,test", "b.jpg,two,2,train", "a.jpg,three,3,train"]
    with pytest.raises(DataError, match=r"captions\.csv:4: a\.jpg is in the split test before, and in train here"):
        load_dataset(captions_in(tmp_path / "forward", *rows))
    with pytest.raises(DataError, match=r"captions\.csv:4: a\.jpg is in the split train before, and in test here"):
        load_dataset(captions_in(tmp_path / "back", *rows[::-1]))
    for number, some in enumerate((["a.jpg,one,1,test", "a.jpg,two,2,"], ["a.jpg,two,2,", "a.jpg,one,1,test"])):
        dataset = load_dataset(captions_in(tmp_path / str(number), *some, "b.jpg,three,3,train"))
        assert texts_of(dataset) == {"1": "one", "2": "two"}
        assert dataset.repairs == []


def test_images_without_a_split_are_noted(tmp_path):
    folder = captions_in(tmp_path, "a.jpg,one,1,test", "b.jpg,two,2,", "c.jpg,three,3,")
    dataset = load_dataset(folder)
    assert texts_of(dataset) == {"1": "one"}
    assert [repair.what for repair in dataset.repairs] == ["2 images without a split, in a file with splits (b.jpg c.jpg)"]
    assert load_dataset(captions_in(tmp_path / "none", "a.jpg,one,1,", "b.jpg,two,2,")).repairs == []


@pytest.mark.parametrize("captions", [[], "", [""], ["one", " "], None])
def test_empty_captions_are_faults(tmp_path, captions):
    lines = [json.dumps({"image": "a.jpg", "captions": captions}), json.dumps({"image": "b.jpg", "captions": ["one"]})]
    with pytest.raises(DataError, match=r"captions\.jsonl:1: expected an image and a caption"):
        load_dataset(put_all(tmp_path / "set", {"captions.jsonl": "\n".join(lines)}))


def test_a_table_with_general_names_is_not_a_set_of_captions(tmp_path):
    """Documents with an image and a text, and a golden list, are read as before."""
    documents = '{"doc_id": "d", "text": "x", "image": "a.png"}\n'
    queries = '{"query_id": "q", "query": "x", "relevant_ids": ["d"]}\n'
    folder = put_all(
        tmp_path / "set", {"documents.jsonl": documents, "queries.jsonl": queries, "more.csv": "image,caption\n"}
    )
    assert load_dataset(folder).format == "jsonl"
    with pytest.raises(DataError, match="this looks like documents"):
        load_dataset(put_all(tmp_path / "b", {"documents.jsonl": documents}) / "documents.jsonl")


def test_other_formats_keep_images_and_ignored_documents(tmp_path):
    dataset = load_dataset(f"{CAPTIONS}:image_to_text")
    dataset.qrels["cat.png"]["3"] = assay.model.IGNORED
    dataset.save_json(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text())["qrels"]["cat.png"] == {"1": 1, "2": 1, "3": "ignore"}
    for name in ("json", "jsonl", "parquet", "beir"):
        place = tmp_path / (f"a.{name}" if name == "json" else name)
        assay.datasets.find_format(name).save(dataset, place)
        again = load_dataset(place)
        assert again.queries == dataset.queries, name
        assert {query: dict(judged) for query, judged in again.qrels.items()} == dataset.qrels, name
    with pytest.raises(DataError, match="which TREC files cannot say"):
        dataset.save_trec_qrels(tmp_path / "qrels.txt")
