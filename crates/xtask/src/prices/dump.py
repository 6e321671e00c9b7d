"""Writes the catalogue of models.dev, a SQLite file, as JSON to standard output."""

import json
import sqlite3
import sys

file = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro&immutable=1", uri=True)
file.row_factory = sqlite3.Row


def rows(query):
    return [dict(row) for row in file.execute(query)]


json.dump(
    {
        "generated_at": file.execute("SELECT value FROM metadata WHERE key = 'generated_at'").fetchone()[0],
        "models": rows("SELECT * FROM models ORDER BY full_id"),
        "modalities": rows("SELECT * FROM model_modalities"),
        "pricing": rows("SELECT * FROM pricing WHERE experimental_mode_name IS NULL ORDER BY min_context"),
    },
    sys.stdout,
)
