"""A web app that collects judgments: `rankprism assess`, with the packages of the extra `assess`.

A study is one database. `store` has its schema, and `migrations` the history of the schema. `database_file`
manages the files of SQLite, and `backups` copies and restores them. `creation` makes a study with some
`settings`: `study_files` reads runs, documents and topics, `question_plan` decides which questions of
`choice` are asked, with `known_answers` for practice and gold, and `graded_aspects`; `insertion` puts it all
into the database. `study_state` is what the organiser
changes. `work` gives tasks to assessors and stores their answers, `open_task` is what they see,
`right_answers` compares answers with known ones, and `access` knows who the assessors are. `app` has the
pages, whose templates are in `pages` and whose scripts and styles are in `static`. `rendering` shows
documents, `serve` starts the server, and `connections` drops slow clients. `dashboard` is what the organiser
sees, with `charts`, `consistency` of assessors and `pace`, and `audit` lists all judgments. `exchange`
exports and imports judgments, and `additions` adds questions. `drawn_sample` has the judgments of drawn
documents, and `estimates` the scores by people and judges that follow from them. `adaptive` chooses
questions in the `background` while people work. `rankprism.preferences` selects the questions and evaluates
the judgments.
"""
