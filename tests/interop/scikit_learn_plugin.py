"""A pytest plugin: scikit-learn's own tests of array API input, which name their namespaces in one place, run on situ.

pytest -p scikit_learn_plugin -k situ <files of scikit-learn that say yield_namespace>"""
import sklearn.utils._array_api as array_api


def namespaces(include_numpy_namespaces=True):
    yield "situ"


def combinations(include_numpy_namespaces=True):
    for dtype in ("float64", "float32"):
        yield "situ", None, dtype


array_api.yield_namespaces = namespaces
array_api.yield_namespace_device_dtype_combinations = combinations
