"""Reports: tables, charts and pages of any world."""
