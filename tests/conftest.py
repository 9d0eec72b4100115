"""Property tests: untimed, for machines are noisy; in CI always the same examples, elsewhere new ones every time.
The Human Phenotype Ontology, which takes seconds to parse, is parsed once for all tests that ask for its folder.
"""

import os

import pytest
from hypothesis import settings

settings.register_profile("elsewhere", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "elsewhere")


@pytest.fixture(scope="session")
def hpo_cache(tmp_path_factory):
    """A folder for ASSAY_CACHE that all tests of a session share."""
    return tmp_path_factory.mktemp("hpo-cache")


@pytest.fixture(scope="session")
def parsed_hpo(hpo_cache):
    """HPO as it is parsed, which takes seconds: once, and kept in the shared folder for all others."""
    from assay.datasets._ontology_cache import keep
    from assay.datasets._read_ontology import read_ontology

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(hpo_cache))
        parsed = read_ontology(cached=False)
        keep(parsed, parsed.digest)
    return parsed
