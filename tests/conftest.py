"""Property tests: untimed, for machines are noisy; in CI always the same examples, elsewhere new ones every time."""

import os

from hypothesis import settings

settings.register_profile("elsewhere", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "elsewhere")
