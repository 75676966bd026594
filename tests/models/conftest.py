"""How the tests of models run: on one core each, since several run side by side."""

from __future__ import annotations

import torch


torch.set_num_threads(1)
