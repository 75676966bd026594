"""Tables in the formats of others: scenes of CLEVR, expressions and programs of CLEVR-Ref+."""
