"""Files of others, read into the table of examples and written from it.

`recognise` tells the formats apart, `reascan` and `gscan` read the released datasets, `vocabulary` and `compact` are
what models of the time were fed with.
"""
