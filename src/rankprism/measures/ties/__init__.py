"""Scores of rankings with ties: the expectation, the lowest and the highest score over all orders.

Documents with the same score are a group, and each order of the documents of a group is as good as any other.
The form of a measure (`rankprism.measures.form`) says how its scores over all orders are found. There are
four ways, all of them exact:

- a closed form for the expectation: `sums` for everything that is made of parts, and modules named after the
  other families;
- sorting the documents of each group by their grades, for the lowest and the highest score (`grouping`);
- the lattice of document kinds (`lattice`), for measures whose steps depend only on which documents are
  above, and not on their order;
- listing all orders (`orders`), for everything else.

The last two are refused if there is too much to list. `scores` chooses among them.
"""
