"""Adds the length of each ranking, of which the study has only some documents."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ranking_length",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("topic", sa.Integer(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["topic"], ["topic.id"], name=op.f("fk_ranking_length_topic")),
        sa.PrimaryKeyConstraint("run", "topic", name=op.f("pk_ranking_length")),
    )
    # Older studies kept the first documents of each ranking, without gaps.
    op.execute(
        "INSERT INTO ranking_length (run, topic, length) "
        "SELECT run, topic, max(rank) FROM ranking GROUP BY run, topic"
    )
