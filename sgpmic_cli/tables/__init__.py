"""Turn a user's table into numbers: file -> raw table -> recipe -> numbers.

`read` makes raw tables of files (`csv_text` splits text files), and `cells` has their texts,
numbers and dates. `columns` decides what each column is. `encoder` applies the resulting `recipe`
to this and later tables.
"""
