"""Small images: sent only if a named benchmark names them, from its folder, and only if they are images."""

import re
from html import unescape

import pytest

import assay

from ._clients import TOKEN, client_of
from ._stores import saved

PNG = b"\x89PNG\r\n\x1a\nrest"


@pytest.fixture
def folder(tmp_path):
    """A benchmark with images, and files next to it that must never be sent."""
    folder = tmp_path / "photos"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "red.png").write_bytes(PNG)
    (folder / "blue.png").write_bytes(b"\xff\xd8\xffrest")
    (folder / "script.png").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    (folder / "unnamed.png").write_bytes(PNG)
    names = ["red.png", "blue.png", "script.png", "link.png", "../secret.png", "https://example.org/x.png", "none.png"]
    rows = "".join(f'{{"doc_id": "d{number}", "image": "{name}"}}\n' for number, name in enumerate(names))
    (folder / "documents.jsonl").write_text(rows)
    (folder / "queries.jsonl").write_text('{"query_id": "q", "image": "red.png", "relevant_ids": ["d0"]}\n')
    return folder


@pytest.fixture
def page(folder, tmp_path):
    """The store of a result with these images, and its benchmark."""
    dataset = assay.load_dataset(folder)
    result = assay.run(dataset, "random_order", metrics=["mrr"])
    return saved(tmp_path / "s.db", [result]), dataset


def images_in(html):
    """The addresses of images on a page."""
    return [unescape(address) for address in re.findall(r'<img class="thumbnail" src="([^"]*)"', html)]


def query_page(client):
    return client.get(f"{client.get('/result/latest').headers['location']}/query?id=q").text


def test_images_of_a_named_benchmark_are_beside_their_ids(page):
    store, dataset = page
    client = client_of(store, datasets=[dataset])
    found = images_in(query_page(client))
    documents = f"/media/documents/{dataset.fingerprint('documents')}?id="
    assert found[0] == f"/media/queries/{dataset.fingerprint('queries')}?id=q"
    assert {address for address in found if address.startswith(documents)} == {f"{documents}d{n}" for n in (0, 1, 2)}
    kinds = {address: client.get(address) for address in found}
    assert kinds[f"{documents}d0"].headers["content-type"] == "image/png"
    assert kinds[f"{documents}d0"].content == PNG
    assert kinds[f"{documents}d0"].headers["x-content-type-options"] == "nosniff"
    assert kinds[f"{documents}d1"].headers["content-type"] == "image/jpeg"
    assert kinds[f"{documents}d2"].status_code == 404  # a picture by its name, a script by its content


def test_nothing_else_is_sent(page, tmp_path):
    store, dataset = page
    client = client_of(store, datasets=[dataset])
    mark = dataset.fingerprint("documents")
    ids = ["d3", "d4", "d5", "d6", "unnamed.png", "../secret.png", "/etc/passwd", "", "d0%00"]
    addresses = [f"/media/documents/{mark}?id={name}" for name in ids]
    addresses += [f"/media/{part}/{mark}?id=d0" for part in ("queries", "judgments", "files", "..")]
    addresses += ["/media/documents/none?id=d0", f"/media/documents/{mark}", f"/media/documents/{mark}/../{mark}?id=d9"]
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 404, address
        assert PNG not in answer.content
    assert images_in(query_page(client_of(store))) == []  # no benchmark was named
    (tmp_path / "photos" / "red.png").unlink()
    assert client.get(f"/media/documents/{mark}?id=d0").status_code == 404


def test_images_need_the_token_like_all_pages(page):
    store, dataset = page
    client = client_of(store, datasets=[dataset], token=TOKEN)
    address = f"/media/documents/{dataset.fingerprint('documents')}?id=d0"
    assert client.get(address).status_code in (303, 401)
    assert client.get(address, headers={"authorization": f"Bearer {TOKEN}"}).content == PNG
