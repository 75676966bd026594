"""Making, keeping, checking and converting examples."""
