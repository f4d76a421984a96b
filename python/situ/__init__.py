"""situ: tensors that compute where they live.

Operations record, reading computes; every copy and every wait is in the ledger. The namespace follows the array API
standard; see also situ.random, situ.nn, situ.optim, situ.onnx, situ.linalg, situ.fft."""
import os as _os
from math import e, inf, nan, pi

from . import _situ
from ._situ import Tensor, asarray, clip, permute_dims, reshape, where  # noqa: F401

_situ.mark_internal(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)

from . import _array, _device, _dtypes, _errors, _habits, _indexing, _methods  # noqa: E402
import sys as _sys  # noqa: E402

_situ.setup(_dtypes.ALL, _device.Device, {code: c for code, c in _errors.BY_CODE.items()}, _indexing.getitem, _indexing.setitem,
            _sys.modules[__name__], _array.to_numpy, _array.operand, _methods.Count)

from ._errors import *  # noqa: E402,F401,F403
from ._dtypes import (DType, bfloat16, can_cast, complex64, complex128, finfo, float16, float32, float64, iinfo,  # noqa: E402
                      int8, int16, int32, int64, isdtype, result_type, uint8, uint16, uint32, uint64)
from ._dtypes import bool_ as bool  # noqa: E402
from ._device import (Device, all_gpus, default_device, device, device_count, device_put, devices, guard, ledger, num_gpus,  # noqa: E402
                      num_opencl, num_pjrt, num_tpus, set_default_device, sim_clock, sim_configure, sim_gpus, sim_host,
                      sim_host_configure, sim_profile, sim_reach, sim_stretch, strict, try_all_gpus, try_gpu, try_tpu_gpu)
from ._made.devices import *  # noqa: E402,F401,F403
from ._creation import arange, from_dlpack, full, full_like, linspace, meshgrid  # noqa: E402
from . import _made  # noqa: E402
from ._made.functions import *  # noqa: E402,F401,F403
from ._functions import (all, any, argmax, argmin, argsort, array_split, astype, broadcast_arrays, broadcast_shapes, broadcast_to,  # noqa: E402
                         chunk, concat, count_nonzero, cumulative_prod, cumulative_sum, diff, einsum, expand_dims, histogram, isin, matmul,
                         matrix_transpose, max, mean, min, moveaxis, nonzero,  prod, repeat, roll,
                         searchsorted, sort, split, std, sum, take, take_along_axis, tensordot, tile, top_k, unique, unique_all,
                         unique_counts, unique_inverse, unique_values, unstack, var, vecdot)
from ._control import cond, scan, vmap, while_loop  # noqa: E402
from ._grad import batch_invariant, grad, gradients, hvp, jvp, no_grad, precision, value_and_grad, vjp  # noqa: E402
from ._info import __array_namespace_info__  # noqa: E402
from ._runtime import (Trace, after_fork, assign, eager, eval, explain, fusing, plans, printoptions, set_eager, set_printoptions, set_threads, snapshot, threads, profile,
                       variable, wait)  # noqa: E402
from ._elementwise import *  # noqa: E402,F401,F403
from ._files import checkpoint_load, checkpoint_save, info, load, save  # noqa: E402
from ._text import Tokenizer  # noqa: E402
from ._group import Group  # noqa: E402
from ._session import Session  # noqa: E402
from . import cuda, data, fft, linalg, metrics, models, nn, onnx, optim, random, train  # noqa: E402
from .nn import Module  # noqa: E402

newaxis = None
tensor = asarray
__array_api_version__ = "2025.12"
__version__ = "0.2.0"

for _space in (_sys.modules[__name__], cuda, fft, linalg, metrics, models, nn, random, data, onnx, optim, train, _made.handle, Tensor):
    _errors.name_functions(_space, but=("no_grad", "precision", "batch_invariant", "strict", "printoptions", "profile", "__array_function__", "__array_ufunc__"))
_habits.install(Tensor, (_sys.modules[__name__], nn, linalg))
