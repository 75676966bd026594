"""Models that find solids on tables: told the parse of an expression, or given its words without their order."""
