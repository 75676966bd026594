"""Deixis as environments to act in: grid instructions for Gymnasium, the reference game for PettingZoo.

Importing this package makes `deixis/Navigate-v1` known to Gymnasium.
"""

from deixis.environments.registration import NAVIGATE as NAVIGATE
from deixis.environments.registration import register_environments as register_environments


register_environments()
