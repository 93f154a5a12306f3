"""A web app that collects judgments: `rankprism assess`, with the packages of `rankprism[assess]`.

A study is one database. `store` has its schema, and `migrations` the history of the schema. `database_file`
looks after the files of SQLite, and `backups` copies them and puts a copy back. `creation` makes a study of
runs, documents and topics, with the questions of `choice`. `work` gives tasks to assessors and
stores their answers; `access` knows who they are. `app` has the pages, whose templates are in `pages` and
whose scripts and styles are in `static`; `rendering` shows documents, `serve` starts the server, and
`connections` is patient with those who use it, but not forever.
`dashboard` is what the organiser sees, and `exchange` takes judgments out of a study and into one. `adaptive`
chooses questions while people work, in the `background`. How questions are selected and judgments are
evaluated is not here but in `rankprism.preferences`.
"""
