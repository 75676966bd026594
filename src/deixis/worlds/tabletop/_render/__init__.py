"""Pictures of solids on a table: what each pixel shows, and how it is lit."""
