"""Turn a user's table into numbers: file -> `Table` -> recipe -> `Rows`.

`read` makes a table of a file, and `notation` reads numbers and dates in its texts. `columns`
decides what each column is. `encoder` applies the resulting `recipe` to this and later tables.
"""
