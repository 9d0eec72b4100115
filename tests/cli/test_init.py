"""assay init: files for the data in a folder, which work as they are."""

import re
from pathlib import Path

import pytest

from assay.execution import load_plan

from .conftest import GOOD, POOR, QRELS

ROOT = Path(__file__).parents[2]
FILES = ("plan.yaml", "gate.yaml", ".github/workflows/retrieval.yml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def walk(assay):
    """The commands that init names: evaluate, choose a baseline, check against it."""
    assert assay("plan", "check", "plan.yaml").code == 0
    assert assay("eval", "plan.yaml", "--quiet").code == 0
    assert assay("bless", "latest", "--as", "main").code == 0
    return assay("gate", "latest", "--rules", "gate.yaml")


def test_a_benchmark_with_documents_is_searched(folder, assay, snapshots):
    assert assay("datasets", "convert", "rag-template", "beir", "--to", "beir").code == 0
    done = assay("init")
    snapshots.check(
        "init/benchmark", "".join([done.out, *(f"\n=== {name}\n{(folder / name).read_text()}" for name in FILES)])
    )
    assert (done.code, done.err) == (0, "")
    assert walk(assay).code == 0
    assert [provider.name for provider in load_plan(Path("plan.yaml")).providers] == ["bm25"]


def test_judgments_and_runs_are_scored_as_recorded(folder, assay, snapshots):
    odd = "odd name's #1.run"
    write(
        folder,
        {"data/qrels.txt": QRELS, "data/good.run": GOOD, odd: GOOD, "poor.run": POOR, "other.run": "x Q0 d 1 1.0 t\n"},
    )
    done = assay("init")
    snapshots.check("init/runs", f"{done.out}\n{Path('plan.yaml').read_text()}")
    plan = load_plan(Path("plan.yaml"))
    assert plan.benchmarks == ("./data/qrels.txt",)
    assert len(plan.providers) == 3
    done = walk(assay)
    assert "failed = 0" in done.out
    assert done.code == 1  # poor.run has no answer for q2


def test_without_data_the_bundled_example_is_used(folder, assay, snapshots):
    write(folder, {"notes.md": "# notes\n", "package.json": "{}\n", "broken.jsonl": "{\n"})
    snapshots.check("init/nothing", assay("init").out)
    assert walk(assay).code == 0


def test_files_that_exist_are_kept_unless_forced(folder, assay):
    write(folder, {"plan.yaml": "mine\n"})
    assert "plan.yaml   exists already; --force overwrites it" in assay("init").out
    assert Path("plan.yaml").read_text() == "mine\n"
    assert "exists already" not in assay("init", "--force").out
    assert Path("plan.yaml").read_text() != "mine\n"


def test_another_folder_can_be_named(folder, assay):
    (folder / "there").mkdir()
    assert "  cd there\n" in assay("init", "there").out
    assert (folder / "there" / "plan.yaml").is_file()
    done = assay("init", "nowhere")
    assert (done.code, done.err) == (2, "error: nowhere is not a folder. Name a folder that exists\n")


def test_the_workflow_is_the_one_that_the_documentation_shows(folder, assay):
    assert assay("init").code == 0
    workflow = (folder / FILES[-1]).read_text()
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert workflow in re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


HOSTILE = (
    'x=command(index=no,command=touch PWNED ".run',
    "a:b(c).run",
    "comma, and 'quotes\".run",
    "- [x]: {y}.run",
    "#hash.run",
    "été.run",
)


def test_file_names_are_data(folder, assay):
    write(folder, {"qrels.txt": QRELS, **dict.fromkeys(HOSTILE, GOOD)})
    assert assay("init").code == 0
    plan = load_plan(Path("plan.yaml"))
    assert sorted(provider.name for provider in plan.providers) == sorted(Path(name).stem for name in HOSTILE)
    assert assay("eval", "plan.yaml", "--quiet", "--no-store").code == 0
    assert not Path("PWNED").exists()


def test_names_that_a_plan_cannot_have_are_reported(folder, assay):
    write(folder, {"qrels.txt": QRELS, "good.run": GOOD, "${HOME}.run": GOOD, "new\nline.run": GOOD})
    done = assay("init")
    assert done.out.count("Rename it") == 2
    assert len(load_plan(Path("plan.yaml")).providers) == 1


def test_runs_of_one_name_in_two_folders_and_links_to_them(folder, assay):
    write(folder, {"qrels.txt": QRELS, "v1/bm25.run": GOOD, "v2/bm25.run": POOR})
    (folder / "again").symlink_to(folder)
    assert assay("init").code == 0
    assert [provider.name for provider in load_plan(Path("plan.yaml")).providers] == ["v1/bm25.run", "v2/bm25.run"]


def test_runs_as_tables_are_not_taken_for_judgments(folder, assay):
    table = "query_id,doc_id,score\nq1,d1,9.5\nq1,d3,8.25\nq2,d4,7.5\n"
    write(folder, {"base.csv": table, "qrels.txt": QRELS, "other.json": '{"q1": {"d1": 0.5}, "q2": {"d4": 0.25}}'})
    assert assay("init").code == 0
    plan = load_plan(Path("plan.yaml"))
    assert (plan.benchmarks, [provider.name for provider in plan.providers]) == (("./qrels.txt",), ["base", "other"])
    assert assay("eval", "plan.yaml", "--quiet", "--no-store").code == 0


def test_judgments_may_have_fractions(folder, assay):
    table = "query_id,doc_id,score\nq1,d1,0.5\nq2,d4,1\n"
    write(folder, {"qrels.csv": table, "good.run": GOOD})
    assert assay("init").code == 0
    plan = load_plan(Path("plan.yaml"))
    assert (plan.benchmarks, [provider.name for provider in plan.providers]) == (("./qrels.csv",), ["good"])


def test_queries_without_documents_need_a_retriever_of_the_user(folder, assay):
    write(folder, {"golden.jsonl": '{"query_id": "q1", "question": "how?", "relevant_ids": ["d1"]}\n'})
    done = assay("init")
    assert "edit plan.yaml" in done.out
    assert "./golden.jsonl" in Path("plan.yaml").read_text()
    assert assay("plan", "check", "plan.yaml").code != 0
    write(folder, {"my_module.py": "def search(query, k):\n    return ['d1']\n"})
    assert assay("eval", "plan.yaml", "--quiet", "--no-store").code == 0


GOLDEN = "question,answer,chunk_id\nHow long do cats sleep?,12 hours,c1\nWhat do dogs eat?,meat,c2\n"
CHUNKS = "chunk_id,text\nc1,Cats sleep about 12 hours.\nc2,Dogs eat meat.\n"
NOTES = {"c1.md": "Cats sleep about 12 hours.\n", "c2.md": "Dogs eat meat.\n"}


@pytest.mark.parametrize(
    ("files", "documents"),
    [
        ({"golden_chunk.csv": GOLDEN, "chunks.csv": CHUNKS}, "./chunks.csv"),
        ({"questions_2024.csv": GOLDEN, "knowledge_base.csv": CHUNKS}, "./knowledge_base.csv"),
        ({"list.csv": GOLDEN, **{f"corpus/{name}": text for name, text in NOTES.items()}}, "./corpus"),
        ({"list.csv": GOLDEN, "kb.csv": CHUNKS, "docs/guide.md": "How to install it.\n"}, "./kb.csv"),
        ({"qa/list.csv": "question,answer\nWhat do dogs eat?,meat\n", "qa/kb.csv": CHUNKS}, "./qa/kb.csv"),
    ],
)
def test_a_golden_list_gets_the_documents_next_to_it(folder, assay, files, documents):
    write(folder, files)
    assert "edit plan.yaml" not in assay("init").out
    plan = load_plan(Path("plan.yaml"))
    assert (plan.benchmarks, plan.documents) == ((f"./{next(iter(files))}",), documents)
    assert [provider.name for provider in plan.providers] == ["bm25"]
    assert walk(assay).code == 0


def test_several_places_with_documents_are_listed_and_none_is_taken(folder, assay, snapshots):
    write(folder, {"golden.csv": GOLDEN, "first.csv": CHUNKS, "second.csv": CHUNKS})
    snapshots.check("init/candidates", f"{assay('init').out}\n{Path('plan.yaml').read_text()}")
    assert load_plan(Path("plan.yaml")).documents is None
    assert assay("eval", "plan.yaml", "--quiet", "--no-store").code == 3


FRAGEN = "Frage,Dokument-ID\nWie lange schlafen Katzen?,c1\nWas fressen Hunde?,c2\n"
KORPUS = "Dokument-ID,Inhalt\nc1,Katzen schlafen lange und tief.\nc2,Hunde fressen Fleisch.\n"


def fill_in_columns():
    """What a user does with the plan: remove the # before the keys, and the question marks."""
    plan = re.sub(r"^# (documents: \S+|columns:)$", r"\1", Path("plan.yaml").read_text(), flags=re.MULTILINE)
    Path("plan.yaml").write_text(re.sub(r"^# (  \w+: .*)\?( +#.*)$", r"\1\2", plan, flags=re.MULTILINE))


@pytest.mark.parametrize(
    ("files", "documents"),
    [
        ({"fragen.csv": FRAGEN, "korpus.csv": KORPUS}, "./korpus.csv"),
        ({"golden.csv": FRAGEN, "corpus.csv": KORPUS}, "./corpus.csv"),
        ({"fragen.csv": FRAGEN, "chunks.csv": CHUNKS}, "./chunks.csv"),
        ({"golden.csv": GOLDEN, "korpus.csv": KORPUS}, "./korpus.csv"),
    ],
)
def test_columns_that_are_not_known_are_filled_in_by_the_user(folder, assay, files, documents):
    write(folder, files)
    assert "edit plan.yaml" in assay("init").out
    assert load_plan(Path("plan.yaml")).benchmarks == (f"./{next(iter(files))}",)
    assert assay("eval", "plan.yaml", "--quiet", "--no-store").code == 3
    fill_in_columns()
    assert load_plan(Path("plan.yaml")).documents == documents
    assert walk(assay).code == 0


@pytest.mark.parametrize("ids", ["KB-{0}", "KB-{0}; KB-9", '["KB-{0}"]', "KB-{0},KB-7"])
def test_columns_with_ids_are_found_by_their_values(folder, assay, ids):
    """The first columns are not those with the ids, and no name is the same in both tables."""
    questions = "".join(
        f'T{n},no,How does number {n} work?,"{ids.format(n).replace(chr(34), chr(34) * 2)}"\n' for n in range(6)
    )
    texts = "".join(f"{n},KB-{n},Number {n} works as a long text says here.\n" for n in range(10))
    tables = {"fragen.csv": f"ticket,offen,frage,treffer\n{questions}", "texte.csv": f"zeile,artikel,inhalt\n{texts}"}
    write(folder, tables)
    assert assay("init").code == 0
    fill_in_columns()
    columns = load_plan(Path("plan.yaml")).columns
    assert dict(columns) == {
        "query_id": "ticket",
        "query": "frage",
        "relevant": "treffer",
        "doc_id": "artikel",
        "text": "inhalt",
    }
    assert walk(assay).code == 0


def test_what_init_says_about_columns_that_are_not_known(folder, assay, snapshots):
    write(folder, {"golden.csv": FRAGEN, "corpus.csv": KORPUS})
    snapshots.check("init/unknown_columns", f"{assay('init').out}\n{Path('plan.yaml').read_text()}")


def test_a_folder_of_documents_next_to_a_table_with_unknown_columns_is_found(folder, assay):
    write(folder, {"golden.csv": "frage,treffer\nwas essen Katzen,cats\n", "docs/cats.md": "Katzen essen."})
    out = assay("init").out
    assert re.search(r"^  docs +documents$", out, re.MULTILINE)
    text = Path("plan.yaml").read_text()
    text = re.sub(r"^# (documents: |columns:)", r"\1", text, flags=re.MULTILINE)
    Path("plan.yaml").write_text(re.sub(r"^#(   (?:query|relevant): \w+)\?", r" \1", text, flags=re.MULTILINE))
    done = assay("eval", "plan.yaml", "--no-store")
    assert (done.code, "golden 1.0 (1 query, 1 document)" in done.out) == (0, True), done.err


def test_questions_and_answers_alone_are_not_replaced_by_the_bundled_example(folder, assay):
    write(folder, {"list.csv": "question,answer\nWhat do dogs eat?,meat\n"})
    assert assay("init").code == 0
    assert load_plan(Path("plan.yaml")).benchmarks == ("./list.csv",)


def test_judgments_alone_need_run_files(folder, assay):
    write(folder, {"qrels.txt": QRELS})
    assert "name your run files" in assay("init").out
    write(folder, {"mine.run": GOOD})
    assert assay("eval", "plan.yaml", "--quiet", "--no-store").code == 0


def test_nothing_is_written_if_one_file_cannot_be(folder, assay):
    write(folder, {".github": "a file\n"})
    done = assay("init")
    assert (done.code, ".github is a file" in done.err, Path("plan.yaml").exists()) == (2, True, False)


def test_a_folder_inside_a_repository_and_one_with_many_files(folder, assay):
    (folder / ".git").mkdir()
    write(folder, {f"part/{number:03}.md": "" for number in range(510)})
    done = assay("init", "part")
    assert f"move it to {folder}" in done.out
    assert "more than 500 files" in done.out
