"""Adds drawn documents, questions that are asked twice, topics of assessors and versions of instructions."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NEW_SETTINGS = {"both_orders": "no", "repeat_every": None}


def upgrade() -> None:
    op.add_column("task", sa.Column("batch", sa.Integer(), nullable=True))
    op.add_column("task", sa.Column("repeats", sa.Integer(), nullable=True))
    op.create_index(op.f("ix_task_repeats"), "task", ["repeats"], unique=False)
    op.add_column("judgment", sa.Column("instructions", sa.Integer(), nullable=True))
    op.add_column("assessor", sa.Column("instructions", sa.Integer(), nullable=True))
    op.create_table(
        "drawing",
        sa.Column("task", sa.Integer(), nullable=False),
        sa.Column("upto", sa.Integer(), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["task"], ["task.id"], name=op.f("fk_drawing_task")),
        sa.PrimaryKeyConstraint("task", "upto", name=op.f("pk_drawing")),
    )
    op.create_table(
        "assigned",
        sa.Column("topic", sa.Integer(), nullable=False),
        sa.Column("assessor", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["assessor"], ["assessor.id"], name=op.f("fk_assigned_assessor")),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_assigned_topic")),
        sa.PrimaryKeyConstraint("topic", "assessor", name=op.f("pk_assigned")),
    )
    versions = op.create_table(
        "instructions",
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("since", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_instructions")),
    )
    connection = op.get_bind()
    study = sa.table("study", sa.column("settings", sa.Text), sa.column("created", sa.Text))
    # JSON is read as text, so that a damaged study is left to the check that names what is damaged.
    row = connection.execute(
        sa.select(sa.cast(study.c.settings, sa.Text).label("settings"), study.c.created)
    ).first()
    if row is None:  # a new study
        return
    try:
        settings = json.loads(row.settings)
        instructions = str(settings["instructions"])
    except (ValueError, KeyError, TypeError):
        return
    json_study = sa.table("study", sa.column("settings", sa.JSON))
    connection.execute(sa.update(json_study).values(settings={**settings, **NEW_SETTINGS}))
    op.bulk_insert(versions, [{"version": 1, "text": instructions, "since": row.created}])
    op.execute("UPDATE assessor SET instructions = 1 WHERE consented IS NOT NULL")
    op.execute("UPDATE judgment SET instructions = 1")
