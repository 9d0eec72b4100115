"""Property tests: untimed, for machines are noisy; in CI always the same examples, elsewhere new ones every time.
ASSAY_TEST_EXAMPLES says how many each tries where it does not say so itself: else 100 in CI, and 30 where tests run often.
Signals that whoever started the tests ignores, as nohup and shells in the background do, are heard again.
The Human Phenotype Ontology, which takes seconds to parse, is parsed once for all tests that ask for its folder.
"""

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings
from tests._snapshots import FOLDER, IS_WRITING, Snapshots

IN_CI = bool(os.environ.get("CI"))
EXAMPLES = int(os.environ.get("ASSAY_TEST_EXAMPLES") or (100 if IN_CI else 30))
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("elsewhere", max_examples=EXAMPLES, **UNTIMED)
settings.register_profile("ci", max_examples=EXAMPLES, derandomize=True, **UNTIMED)
settings.load_profile("ci" if IN_CI else "elsewhere")

for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

gc.disable()  # until all tests are collected: millions of objects that stay, looked through again and again, are 13 seconds


def pytest_collection_modifyitems(items):
    """Where snapshots are written, only the tests that have some run."""
    if IS_WRITING:
        items[:] = [item for item in items if "snapshots" in item.fixturenames]


def pytest_collection_finish():
    """Collect garbage again, but never look at what was there before the first test."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def no_secrets():
    """What one test keeps secret is an ordinary word in the next."""
    from assay.masking import forget_secrets

    forget_secrets()


@pytest.fixture
def snapshots(tmp_path):
    """Texts that users see, kept in tests/snapshots."""
    return Snapshots(FOLDER, tmp_path)


@pytest.fixture(scope="session")
def hpo_cache(tmp_path_factory):
    """A folder for ASSAY_CACHE that all tests of a session share."""
    return tmp_path_factory.mktemp("hpo-cache")


@pytest.fixture(scope="session")
def parsed_hpo(hpo_cache):
    """HPO as it is parsed, which takes seconds: once, and kept in the shared folder for all others."""
    from assay.ontology.cache import write_cached
    from assay.ontology.reading import read_ontology

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(hpo_cache))
        parsed = read_ontology(cached=False)
        write_cached(parsed, parsed.digest)
    return parsed
