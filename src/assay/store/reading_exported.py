"""reading_exported: a stored evaluation as an export has it."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from assay.store.export_file import Exported
from assay.store.parcel import parcel_of_plain
from assay.store.payload import damage_in
from assay.store.reading import read_bundle


def read_exported(connection: Connection, number: int) -> Exported:
    """As the file will be read: what an older assay saved is packed as this one does, so that its digest is the same."""
    about, bundle = read_bundle(connection, number)
    with damage_in(about.id):
        renewed = replace(bundle, parcels=tuple(parcel_of_plain(parcel.to_plain()) for parcel in bundle.parcels))
    return Exported(about.id, renewed, about.tags, about.notes, about.baselines)
