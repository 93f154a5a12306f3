"""The history of the schema of a study, one module for each step, which Alembic runs."""
