"""A pytest plugin: SciPy's own tests of array API input run on situ. SciPy's fixture `xp` has the namespaces as parameters.

SCIPY_ARRAY_API=1 pytest -p scipy_plugin -m array_api_backends <folder of SciPy>"""
import pytest
import scipy.conftest

import situ

object.__setattr__(scipy.conftest.xp._fixture_function_marker, "params",
                   (pytest.param(situ, id="situ", marks=pytest.mark.array_api_backends),))
scipy.conftest.xp_known_backends.add("situ")
