"""Types of __init__.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

from ._situ import (Tensor as Tensor, asarray as asarray, clip as clip, permute_dims as permute_dims, reshape as
    reshape, where as where)
from ._errors import *
from ._dtypes import (DType as DType, bfloat16 as bfloat16, can_cast as can_cast, complex64 as complex64, complex128
    as complex128, finfo as finfo, float16 as float16, float32 as float32, float64 as float64, iinfo as iinfo, int8 as
    int8, int16 as int16, int32 as int32, int64 as int64, isdtype as isdtype, result_type as result_type, uint8 as
    uint8, uint16 as uint16, uint32 as uint32, uint64 as uint64)
from ._device import (Device as Device, all_gpus as all_gpus, default_device as default_device, device as device,
    device_count as device_count, device_put as device_put, devices as devices, guard as guard, ledger as ledger,
    num_gpus as num_gpus, num_opencl as num_opencl, num_pjrt as num_pjrt, num_tpus as num_tpus, set_default_device as
    set_default_device, sim_clock as sim_clock, sim_configure as sim_configure, sim_gpus as sim_gpus, sim_host as
    sim_host, sim_host_configure as sim_host_configure, sim_profile as sim_profile, sim_reach as sim_reach,
    sim_stretch as sim_stretch, strict as strict, try_all_gpus as try_all_gpus, try_gpu as try_gpu, try_tpu_gpu as
    try_tpu_gpu)
from ._made.devices import *
from ._creation import (arange as arange, from_dlpack as from_dlpack, full as full, full_like as full_like, linspace
    as linspace, meshgrid as meshgrid)
from ._made.functions import *
from ._functions import (all as all, any as any, argmax as argmax, argmin as argmin, argsort as argsort, array_split
    as array_split, astype as astype, broadcast_arrays as broadcast_arrays, broadcast_shapes as broadcast_shapes,
    broadcast_to as broadcast_to, chunk as chunk, concat as concat, count_nonzero as count_nonzero, cumulative_prod as
    cumulative_prod, cumulative_sum as cumulative_sum, diff as diff, einsum as einsum, expand_dims as expand_dims,
    histogram as histogram, isin as isin, matmul as matmul, matrix_transpose as matrix_transpose, max as max, mean as
    mean, min as min, moveaxis as moveaxis, nonzero as nonzero, prod as prod, repeat as repeat, roll as roll,
    searchsorted as searchsorted, sort as sort, split as split, std as std, sum as sum, take as take, take_along_axis
    as take_along_axis, tensordot as tensordot, tile as tile, top_k as top_k, unique as unique, unique_all as
    unique_all, unique_counts as unique_counts, unique_inverse as unique_inverse, unique_values as unique_values,
    unstack as unstack, var as var, vecdot as vecdot)
from ._control import (cond as cond, scan as scan, vmap as vmap, while_loop as while_loop)
from ._grad import (batch_invariant as batch_invariant, grad as grad, gradients as gradients, hvp as hvp, jvp as jvp,
    no_grad as no_grad, precision as precision, value_and_grad as value_and_grad, vjp as vjp)
from ._runtime import (Trace as Trace, after_fork as after_fork, assign as assign, eager as eager, eval as eval,
    explain as explain, fusing as fusing, plans as plans, printoptions as printoptions, set_eager as set_eager,
    set_printoptions as set_printoptions, set_threads as set_threads, snapshot as snapshot, threads as threads,
    profile as profile, variable as variable, wait as wait)
from ._elementwise import *
from ._files import (checkpoint_load as checkpoint_load, checkpoint_save as checkpoint_save, info as info, load as
    load, save as save)
from ._text import (Tokenizer as Tokenizer)
from ._group import (Group as Group)
from ._session import (Session as Session)
from . import (cuda as cuda, data as data, fft as fft, linalg as linalg, metrics as metrics, models as models, nn as
    nn, onnx as onnx, optim as optim, random as random, train as train)
from .nn import (Module as Module)
from ._situ import asarray as asarray

bool: DType
newaxis: None
e: float
inf: float
nan: float
pi: float
tensor = asarray
__version__: str
__array_api_version__: str
