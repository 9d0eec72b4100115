"""Sessions: the session of a command, tables that it reads, and errors of Spark in one line."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import DataError, ProviderError
from assay.extras import install_command
from assay.files import as_source, missing_file
from assay.model import Run
from assay.spark.addresses import CONNECT, check_address, shown_address
from assay.spark.spark_frames import check_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARQUET = ".parquet"
THIS_MACHINE = "local[*]"
QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
ADVICE = {
    "ClassNotFoundException.*FileSystem": "Add the package of the file system, with the version of Hadoop that Spark has: "
    "PYSPARK_SUBMIT_ARGS='--packages org.apache.hadoop:hadoop-aws:VERSION pyspark-shell'",
    'No FileSystem for scheme "?s3': "Write s3a:// instead of s3://",
    "UNABLE_TO_INFER_SCHEMA": "The folder has no Parquet files",
    "JAVA_GATEWAY_EXITED": "The lines above say why. Spark 4 needs Java 17 or newer (java -version)",
    "stopped SparkContext": "The master refused the program, or is not a master of this version of Spark",
}
"""Words in an error of Spark, and what to do."""


@contextmanager
def open_session(master: str | None) -> Iterator[SparkSession]:
    """A session on a master or a Connect server (`sc://host`); without an address, the active one, or this machine.

    A session that was started here is stopped at the end.
    """
    check_spark("--engine spark needs")
    address = master or THIS_MACHINE
    if master:
        check_address(address)
    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about versions of packages that Spark supports
        active = None if master else SparkSession.getActiveSession()
        if active is not None:
            yield active
            return
        if not master:
            check_address(address)
        if address.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("assay")
        if address.startswith(CONNECT):
            builder = builder.remote(address)
        else:
            builder = builder.master(address)
            for name, value in QUIET.items():
                builder = builder.config(name, value)
        with spark_errors(shown_address(address)):
            session = builder.getOrCreate()
            session.range(1).count()
        try:
            yield session
        finally:
            session.stop()


def is_table(path: str) -> bool:
    """Whether only Spark can read a path: an address such as s3a://bucket/run, or a folder of Parquet files."""
    return _is_address(path) or Path(path).is_dir()


def _is_address(path: str) -> bool:
    return "://" in path


def read_table(session: SparkSession, path: str) -> DataFrame:
    """The rows of a run: Parquet files, folders and addresses are read by Spark, other files by this process."""
    if not _is_address(path) and path != "-" and not Path(path).exists():
        raise missing_file(path)
    if is_table(path) or path.endswith(PARQUET):
        with spark_errors(path):
            return session.read.parquet(path if _is_address(path) else Path(path).absolute().as_uri())
    return session.createDataFrame(Run(as_source(path)).to_arrow())


@contextmanager
def spark_errors(source: str) -> Iterator[None]:
    """Turn an error of Spark into one line that names the file or the address."""
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, PySparkException

    try:
        yield
    except AnalysisException as error:
        raise DataError(f"Spark cannot read it: {_first_line(error)}", source=source) from None
    except (PySparkException, Py4JError) as error:
        raise ProviderError(f"Spark failed: {_first_line(error)}", source=source) from None


def collected(frame: DataFrame) -> Any:
    """The rows of a frame as a table of Arrow; one clear error if the workers do not have a package."""
    from pyspark.errors import PythonException

    try:
        return frame.toArrow()
    except PythonException as error:
        missing = _missing_module(error)
        if missing is None:
            raise
        raise ProviderError(
            f"the Python of the workers has no module {missing!r}. On the workers: {install_command('spark')}. "
            f"If they are on this machine, set PYSPARK_PYTHON={sys.executable} before the session starts"
        ) from error


def _missing_module(error: BaseException) -> str | None:
    """The package that a worker could not import."""
    match = re.search(r"No module named '(\w+)", str(error))
    return match[1] if match else None


def _first_line(error: BaseException) -> str:
    """The line that says what is wrong. Errors of Java begin with the name of a call."""
    lines = [line.strip(" :") for line in str(error).splitlines() if line.strip(" :")]
    line = next((line for line in lines if not line.startswith("An error occurred while")), type(error).__name__)
    advice = next((advice for words, advice in ADVICE.items() if re.search(words, line)), "")
    return f"{line.rstrip('.')}. {advice}" if advice else line
