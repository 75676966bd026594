"""Learning: runs and checkpoints, the loop, devices, settings, and layers that models of several worlds share."""
