"""Results of models beside what is published: cells, groups of runs, tables, and reports made of them."""
