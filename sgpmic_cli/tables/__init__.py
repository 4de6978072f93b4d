"""Turn a user's table into numbers: file -> raw table -> recipe -> numbers.

`reading` decompresses and decodes files, `csv_text` and `table_files` make raw tables of them,
`learning` decides what each column is, and `encoding` applies the resulting `recipe` to this and
later tables.
"""
