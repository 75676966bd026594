"""Released files of ReaSCAN and gSCAN, read and written."""
