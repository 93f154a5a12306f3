"""Adds cleaned documents beside the original ones, and the address at which the study was last served."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("document", sa.Column("cleaned", sa.Text(), nullable=True))
    op.add_column("document", sa.Column("cleaner", sa.Text(), nullable=True))
    op.add_column("study", sa.Column("address", sa.Text(), nullable=True))
