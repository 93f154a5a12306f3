"""Adds the settings of newer studies: own wording, marked words, time limits and crowd platforms."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

#: What assessors of older studies have read. Their documents have no marks, so that nothing changes midway.
_NEW = {"minutes": None, "mark": False, "worker_parameter": "", "completion_url": None}
_WORDING = {
    "question": "Which would you rather read?",
    "next": "Which would you rather read next?",
    "given": "You have just read this",
    "left": "A is better",
    "right": "B is better",
    "tie": "About the same",
    "cannot": "Cannot judge",
    "save": "Save",
}


def upgrade() -> None:
    connection = op.get_bind()
    study = sa.table("study", sa.column("settings", sa.JSON))
    # JSON is read as text, so that a damaged study is left to the check that names what is damaged.
    written = connection.scalar(sa.select(sa.cast(study.c.settings, sa.Text)))
    try:
        settings = json.loads(written or "")
    except ValueError:
        return
    if not isinstance(settings, dict):
        return
    is_graded = settings.get("ask") == "grades"
    wording = _WORDING | ({"question": "How does this document fit?"} if is_graded else {})
    for name, value in {**_NEW, "wording": wording}.items():
        settings.setdefault(name, value)
    connection.execute(sa.update(study).values(settings=settings))
