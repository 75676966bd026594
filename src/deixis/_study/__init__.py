"""Studies with people: the same questions that models get, in a fixed list, asked in a browser, and analysed.

A study is a folder. `design` makes it, `_studio.study` serves it, `bundle` writes it as a page for any web space,
`journal` and `rows` hold the answers, and `analysis` says what they show.
"""
