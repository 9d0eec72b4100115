"""read_annotations: phenotype.hpoa and plain lines."""

import pytest

from assay import DataError
from assay.ontology.reading import read_annotations

HPOA = """\
#description: "HPO annotations"
database_id\tdisease_name\tqualifier\thpo_id\treference
OMIM:1\tOne\t\tHP:0000001\tPMID:1
OMIM:1\tOne\t\tHP:0000002\tPMID:1
OMIM:2\tTwo\tNOT\tHP:0000001\tPMID:2
OMIM:3\tThree\t\tHP:0000003\tPMID:2
"""


def read(folder, content):
    (folder / "some.tsv").write_text(content, encoding="utf-8")
    return read_annotations(folder / "some.tsv")


def test_phenotype_hpoa(tmp_path):
    assert read(tmp_path, HPOA) == {"OMIM:1": ["HP:0000001", "HP:0000002"], "OMIM:3": ["HP:0000003"]}


def test_lines_of_thing_and_term(tmp_path):
    assert read(tmp_path, "# mine\n\na\tX:1\nb\tX:2\nb\tX:3\n") == {"a": ["X:1"], "b": ["X:2", "X:3"]}


def test_faults_name_their_line(tmp_path):
    with pytest.raises(DataError, match=r"some\.tsv:2: expected 2 columns between tabs, found 1"):
        read(tmp_path, "a\tX:1\nb X:2\n")
    with pytest.raises(DataError, match=r"some\.tsv:7: expected 5 columns between tabs, found 2"):
        read(tmp_path, HPOA + "OMIM:4\tFour\n")


def test_nothing_in_it(tmp_path):
    with pytest.raises(DataError, match="there is no annotation in it"):
        read(tmp_path, "# nothing\n")
    with pytest.raises(DataError, match="cannot be read"):
        read_annotations(tmp_path / "none")
