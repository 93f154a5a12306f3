"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "assessor",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("consented", sa.Text(), nullable=True),
        sa.Column("instructions", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assessor")),
        sa.UniqueConstraint("name", name=op.f("uq_assessor_name")),
        sa.UniqueConstraint("worker", name=op.f("uq_assessor_worker")),
    )
    op.create_table(
        "document",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("cleaned", sa.Text(), nullable=True),
        sa.Column("cleaner", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
        sa.UniqueConstraint("name", name=op.f("uq_document_name")),
    )
    op.create_table(
        "instructions",
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("since", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_instructions")),
    )
    op.create_table(
        "study",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("provenance", sa.JSON(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("stopped", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.CheckConstraint("id = 1", name=op.f("ck_study_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
    )
    op.create_table(
        "topic",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic")),
        sa.UniqueConstraint("name", name=op.f("uq_topic_name")),
    )
    op.create_table(
        "aspect",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("topic", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("grades", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_aspect_topic")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_aspect")),
        sa.UniqueConstraint("topic", "name", name=op.f("uq_aspect_topic_name")),
    )
    op.create_table(
        "assigned",
        sa.Column("topic", sa.Integer(), nullable=False),
        sa.Column("assessor", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["assessor"], ["assessor.id"], name=op.f("fk_assigned_assessor")),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_assigned_topic")),
        sa.PrimaryKeyConstraint("topic", "assessor", name=op.f("pk_assigned")),
    )
    op.create_table(
        "ranking",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("topic", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("document", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["document"], ["document.id"], name=op.f("fk_ranking_document")),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_ranking_topic")),
        sa.PrimaryKeyConstraint("run", "topic", "rank", name=op.f("pk_ranking")),
    )
    op.create_table(
        "ranking_length",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("topic", sa.Integer(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_ranking_length_topic")),
        sa.PrimaryKeyConstraint("run", "topic", name=op.f("pk_ranking_length")),
    )
    op.create_table(
        "task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("topic", sa.Integer(), nullable=False),
        sa.Column("given", sa.JSON(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer(), nullable=True),
        sa.Column("expected", sa.JSON(), nullable=True),
        sa.Column("batch", sa.Integer(), nullable=True),
        sa.Column("repeats", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["first"], ["document.id"], name=op.f("fk_task_first")),
        sa.ForeignKeyConstraint(["second"], ["document.id"], name=op.f("fk_task_second")),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_task_topic")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task")),
        sa.UniqueConstraint("key", name=op.f("uq_task_key")),
    )
    op.create_index("ix_task_purpose_position", "task", ["purpose", "position"], unique=False)
    op.create_index(op.f("ix_task_repeats"), "task", ["repeats"], unique=False)
    op.create_table(
        "token",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("assessor", sa.Integer(), nullable=True),
        sa.Column("created", sa.Text(), nullable=False),
        sa.Column("used", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["assessor"], ["assessor.id"], name=op.f("fk_token_assessor")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
    )
    op.create_index(op.f("ix_token_assessor"), "token", ["assessor"], unique=False)
    op.create_table(
        "drawing",
        sa.Column("task", sa.Integer(), nullable=False),
        sa.Column("upto", sa.Integer(), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["task"], ["task.id"], name=op.f("fk_drawing_task")),
        sa.PrimaryKeyConstraint("task", "upto", name=op.f("pk_drawing")),
    )
    op.create_table(
        "place",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("swapped", sa.Boolean(), nullable=False),
        sa.Column("assessor", sa.Integer(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("leased", sa.Float(), nullable=True),
        sa.Column("expires", sa.Float(), nullable=True),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["assessor"], ["assessor.id"], name=op.f("fk_place_assessor")),
        sa.ForeignKeyConstraint(["task"], ["task.id"], name=op.f("fk_place_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_place")),
        sa.UniqueConstraint("task", "assessor", name=op.f("uq_place_task_assessor")),
    )
    op.create_index("ix_place_assessor_done", "place", ["assessor", "done"], unique=False)
    op.create_index("ix_place_done_position", "place", ["done", "position"], unique=False)
    op.create_table(
        "judgment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("task", sa.Integer(), nullable=False),
        sa.Column("assessor", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("grades", sa.JSON(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("time", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("withdrawn", sa.Text(), nullable=True),
        sa.Column("instructions", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["assessor"], ["assessor.id"], name=op.f("fk_judgment_assessor")),
        sa.ForeignKeyConstraint(["place"], ["place.id"], name=op.f("fk_judgment_place")),
        sa.ForeignKeyConstraint(["task"], ["task.id"], name=op.f("fk_judgment_task")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgment")),
        sa.UniqueConstraint("place", "attempt", name=op.f("uq_judgment_place_attempt")),
    )
    op.create_index("ix_judgment_assessor_withdrawn", "judgment", ["assessor", "withdrawn"], unique=False)
