"""Made by scripts/generate.py from include/situ: change that."""
from .layers_nn import *  # noqa: F401,F403
from .layers_activation import *  # noqa: F401,F403
from .layers_sequence import *  # noqa: F401,F403
from .layers_window import *  # noqa: F401,F403
