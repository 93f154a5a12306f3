"""Alembic runs this to bring a study's schema up to date, through the connection that `store` hands over."""

from alembic import context

from rankprism.assess.store import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True
)
context.run_migrations()
