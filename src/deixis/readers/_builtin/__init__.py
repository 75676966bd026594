"""The readers that come with Deixis, one file each."""
