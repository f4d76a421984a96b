"""situ for tests: every function of the public headers, callable by name through ctypes. Test support, not a binding.

    from situ_ctypes import situ
    with situ.scope():
        y = situ.sum(situ.add(situ.array([[1, 2], [3, 4]]), 2.5), axes=(0,), keepdims=True)
        print(y.numpy())

Prototypes, enums and option structs come from include/situ/*.h; the defaults of options are the bytes that the C compiler
makes of a call without any. An error of the library is raised as SituError at the call that caused it.
"""
import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ["error", "dtype", "runtime", "device", "ledger", "profile", "tensor", "create", "elementwise", "move", "reduce", "linalg", "fft", "index",
           "random", "function", "network", "grad", "custom"]
SHARED_NAMES = {"bool": "bool", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "i8": "int8",
                "i16": "int16", "i32": "int32", "i64": "int64", "f16": "float16", "f32": "float32", "f64": "float64",
                "c64": "complex64", "c128": "complex128"}
DTYPES = ["bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c64", "c128"]
NUMBER = {name: i for i, name in enumerate(DTYPES)}
NUMPY = {name: np.dtype(SHARED_NAMES[name]) for name in DTYPES if name != "bf16"}
FROM_NUMPY = {dtype: name for name, dtype in NUMPY.items()}


class SituError(Exception):
    """An error of the library: its code and its message."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Shape(ctypes.Structure):
    _fields_ = [("dim", ctypes.c_int64 * 8), ("ndim", ctypes.c_int64)]


class Axes(ctypes.Structure):
    _fields_ = [("axis", ctypes.c_int32 * 8), ("count", ctypes.c_int32), ("given", ctypes.c_int32)]


class List(ctypes.Structure):
    _fields_ = [("tensor", ctypes.POINTER(ctypes.c_void_p)), ("count", ctypes.c_int)]


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int16), ("index", ctypes.c_int16)]

    def __eq__(self, other):
        return (self.kind, self.index) == (other.kind, other.index)

    def __repr__(self):
        return f"{['unset', 'cpu', 'gpu', 'tpu', 'null', 'opencl', 'pjrt'][self.kind]}({self.index})"


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 4096)]


class Out:
    """A place for a further result of a call: topk(x, k, indices=Out()). The call fills .tensor."""
    tensor = None


def to_bf16(values):
    """The bits of float32 values rounded to bfloat16, half to even."""
    with np.errstate(all="ignore"):
        values = np.asarray(values).astype(np.float32)
    bits = values.view(np.uint32).astype(np.uint64)
    one, half, width = np.uint64(1), np.uint64(0x7FFF), np.uint64(16)
    rounded = (bits + half + ((bits >> width) & one)) >> width
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def from_bf16(bits):
    """The float32 values of bfloat16 bits."""
    return (np.asarray(bits, np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def list_of(tensors):
    array = (ctypes.c_void_p * max(len(tensors), 1))(*[t.handle for t in tensors])
    return List(ctypes.cast(array, ctypes.POINTER(ctypes.c_void_p)), len(tensors))


def shape_of(dims):
    dims = (dims,) if isinstance(dims, (int, np.integer)) else dims
    return Shape((ctypes.c_int64 * 8)(*[int(d) for d in dims]), len(dims))


def axes_of(axes):
    axes = (axes,) if isinstance(axes, (int, np.integer)) else axes
    return Axes((ctypes.c_int32 * 8)(*[int(a) for a in axes]), len(axes), 1)


class Tensor:
    """A handle. Temporaries die with their scope; kept ones and variables go back with situ.release."""
    __slots__ = ("handle",)

    def __init__(self, handle):
        self.handle = handle

    @property
    def dtype(self):
        return DTYPES[situ.lib.situ_dtype_of(self.handle)]

    @property
    def shape(self):
        s = situ.lib.situ_shape_of(self.handle)
        return tuple(s.dim[:s.ndim])

    @property
    def device(self):
        return situ.lib.situ_device_of(self.handle)

    @property
    def state(self):
        return situ.lib.situ_state(self.handle).decode()

    def numpy(self):
        """Its values (a barrier); bf16 as the float32 of the same value."""
        dtype = self.dtype
        out = np.empty(self.shape, np.uint16 if dtype == "bf16" else NUMPY[dtype])
        situ.lib.situ_read(self.handle, out.ctypes.data, out.nbytes, caller())
        situ.check()
        return from_bf16(out) if dtype == "bf16" else out


SITES = {}  # keeps the texts alive: ctypes gives copies
PRETENDED = []


@contextlib.contextmanager
def at(site):
    """Calls inside come from this site, "file:line", as far as the library knows."""
    PRETENDED.append(SITES.setdefault(site, site.encode()))
    try:
        yield
    finally:
        PRETENDED.pop()


def caller():
    """The line of the test that called, as a call site."""
    if PRETENDED:
        return PRETENDED[-1]
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    place = (frame.f_code.co_filename, frame.f_lineno)
    if place not in SITES:
        SITES[place] = f"{os.path.basename(place[0])}:{place[1]}".encode()
    return SITES[place]


# ---- what the headers say -------------------------------------------------------------------------------------------

def read_headers():
    text = ""
    for name in HEADERS:
        text += (ROOT / "include" / "situ" / f"{name}.h").read_text() + "\n"
    return text


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def read_enums(text):
    """Every enumerator's value."""
    values = {}
    for body in re.findall(r"enum(?:\s+\w+)?\s*\{(.*?)\}", text, flags=re.S):
        following = 0
        for item in body.split(","):
            found = re.match(r"\s*(\w+)\s*(?:=\s*(-?\w+))?\s*$", item)
            if found:
                following = int(found[2], 0) if found[2] else following
                values[found[1]] = following
                following += 1
    return values


PLAIN = {"int": ctypes.c_int, "bool": ctypes.c_bool, "int64_t": ctypes.c_int64, "int32_t": ctypes.c_int32,
         "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t, "double": ctypes.c_double,
         "situ_shape": Shape, "situ_axes": Axes, "situ_list": List, "situ_device": Device, "situ_site": ctypes.c_char_p,
         "situ_dtype": ctypes.c_int, "void": None}


def c_type(text, structs, enums):
    """The ctypes type of a C type."""
    text = re.sub(r"\bconst\b", "", text).strip()
    if "*" in text:
        return ctypes.c_char_p if re.fullmatch(r"char\s*\*", text) else ctypes.c_void_p
    if text in PLAIN:
        return PLAIN[text]
    return structs.get(text) or (ctypes.c_int if text in enums else ctypes.c_void_p)


def read_structs(text, enums):
    """Structs of plain fields, options among them. Those that a macro fills are further names for one of these in C."""
    structs = {}
    for body, name in re.findall(r"typedef struct (?:SITU_BY_NAME )?\w+\s*\{([^{}]*)\}\s*(\w+);", text):
        if name in PLAIN or "_FIELDS_(" in body:
            continue
        fields, tensors = [], set()  # tensors that are read, not pointers to where one is put
        for line in body.replace("SITU_OPTION_HEAD;", "uint32_t size; uint32_t unnamed;").split(";"):
            line = " ".join(line.split())
            if not line:
                continue
            pointer = re.match(r".*\(\*(\w+)\)", line)
            if pointer:
                fields.append((pointer[1], ctypes.c_void_p))
                continue
            kind, names = re.match(r"((?:const )?\w+ )(.*)", line).groups()
            for item in names.split(","):
                field, size = re.match(r"[\s*]*(?:const\s*\*)?\s*(\w+)(?:\[(\w+)\])?", item).groups()
                ctype = c_type(kind + "*" * item.count("*"), structs, enums)
                if size:
                    ctype = ctype * (enums[size] if size in enums else int(size)) if kind.strip() != "char" \
                        else ctypes.c_char * int(size)
                fields.append((field, ctype))
                if kind.strip() == "situ_tensor" and item.count("*") == 1:
                    tensors.add(field)
        structs[name] = type(name, (ctypes.Structure,), {"_fields_": fields, "tensors": tensors})
    return structs


def read_prototypes(text):
    """(name, result, [(type, name)]) for each function."""
    found = []
    for result, name, parameters in re.findall(r"SITU_API\s+(?:SITU_TOLD\s+)?([\w\s*]+?)\s*\(?\b(situ_\w+)\)?\(([^;]*?)\)\s*(?:SITU_PRINTF\([^)]*\))?;",
                                               text, flags=re.S):
        if "..." in parameters or "(*" in parameters:
            continue
        pairs = []
        for p in parameters.split(","):
            p = " ".join(p.split())
            if p and p != "void":
                kind, parameter = re.match(r"(.*?[\s*])(\w+)$", p).groups()
                pairs.append((" ".join(kind.replace("*", " * ").split()), parameter))
        found.append((name, " ".join(result.replace("*", " * ").split()), pairs))
    return found


def read_defaults(prototypes, folder):
    """The options of a call without any, for each function that has some: {name: the bytes of its struct}."""
    wanted = [(n, p) for n, _, p in prototypes if any(t.startswith("const situ_") and t.endswith("_options *") for t, _ in p)]
    calls = []
    for name, parameters in wanted:
        plain = [q for t, q in parameters if t != "situ_site" and not t.endswith("_options *")]
        calls.append(f"@{name}@ {name.removesuffix('_opt')}({', '.join(plain)})")
    compiler = os.environ.get("CC") or next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if not compiler:
        raise RuntimeError("a C compiler is needed to read the options' defaults")
    headers = "#include <situ/ops.h>\n#include <situ/grad.h>\n#include <situ/ledger.h>\n"
    compiler = [*compiler.split(), "-I", str(ROOT / "include")]
    text = subprocess.run([*compiler, "-E", "-P", "-xc", "-"], input=headers + "\n".join(calls) + "\n", check=True,
                          capture_output=True, text=True).stdout
    structs, prints = [], []
    for name, expansion in re.findall(r"@(situ_\w+)@(.*?)(?=@situ_|\Z)", text, flags=re.S):
        options = re.search(r"const (situ_\w+_options) \w+ = (\{.*?\});", expansion, flags=re.S)
        if options:
            # What the macro learns of an argument is not known here, which is 0.
            values = re.sub(r"\bsitu_options_\w+", "0", options[2])
            structs.append(f"static const {options[1]} of_{name} = {values};")
            prints.append(f"    print(\"{name}\", &of_{name}, sizeof of_{name});")
    if not structs:
        raise RuntimeError("no options found in the headers: do their macros look different now?")
    source = headers + "#include <stdio.h>\n" + "\n".join(structs) + """
static void print(const char *name, const void *bytes, size_t n) {
    printf("%s ", name);
    for (size_t i = 0; i < n; i++) printf("%02x", ((const unsigned char *)bytes)[i]);
    printf("\\n");
}
int main(void) {
""" + "\n".join(prints) + "\n}\n"
    with tempfile.TemporaryDirectory() as place:
        program = pathlib.Path(place) / "defaults"
        subprocess.run([*compiler, "-w", "-xc", "-", "-o", program, "-xnone", str(folder / "libsitu.so")], input=source,
                       check=True, text=True)
        lines = subprocess.run([program], env={**os.environ, "LD_LIBRARY_PATH": str(folder)}, check=True, capture_output=True,
                               text=True).stdout
    return {name: bytes.fromhex(values) for name, values in (line.split() for line in lines.splitlines())}


# ---- functions --------------------------------------------------------------------------------------------------------

class Function:
    """One function of the library, with Python's values for arguments and keywords for options."""

    def __init__(self, library, name, result, parameters, defaults):
        self.library, self.name, self.result, self.parameters = library, name, result, parameters
        self.pointer = getattr(library.lib, name)
        self.options = next((library.structs[t.split()[1]] for t, _ in parameters if t.endswith("_options *")), None)
        self.defaults = defaults
        if defaults is not None and len(defaults) != ctypes.sizeof(self.options):
            raise RuntimeError(f"{name}: its options are {ctypes.sizeof(self.options)} bytes here and {len(defaults)} in C")
        self.tensors = [p for t, p in parameters if t == "situ_tensor *"]

    def make_options(self, given):
        """The options struct, and the (Out, slot) pairs to fill after the call."""
        slots = []
        if self.defaults is None:
            options = self.options(size=ctypes.sizeof(self.options))
        else:
            options = self.options.from_buffer_copy(self.defaults)
        for field, value in given.items():
            kind = dict(self.options._fields_)[field]
            if isinstance(value, Out):
                slot = ctypes.c_void_p()
                slots.append((value, slot))
                value = ctypes.addressof(slot)
            elif field in self.options.tensors:
                value = self.library.argument("situ_tensor *", value)
            elif kind is Axes:
                value = axes_of(value)
            elif kind is Shape:
                value = shape_of(value)
            elif isinstance(value, Tensor):
                value = value.handle
            elif isinstance(value, str) and field == "dtype":
                value = NUMBER[value]
            elif kind is ctypes.c_char_p and value is not None:
                value = value.encode()
            setattr(options, field, value)
        return options, slots

    def __call__(self, *arguments, **given):
        values, given_values, results, count = [], list(arguments), None, 0
        options, slots = self.make_options(given) if self.options else (None, [])
        for kind, name in self.parameters:
            if kind.endswith("_options *") and kind.startswith("const"):
                values.append(ctypes.addressof(options))
            elif kind == "situ_site":
                values.append(caller())
            elif kind == "situ_tensor * *":
                results = (ctypes.c_void_p * max(count, 1))()
                values.append(ctypes.addressof(results))
            else:
                value = given_values.pop(0)
                if name == "count" and isinstance(value, int):
                    count = value
                values.append(self.library.argument(kind, value))
        if given_values or (given and not self.options):
            raise TypeError(f"{self.name}: too many arguments")
        answer = self.pointer(*values)
        self.library.check()
        for out, slot in slots:
            out.tensor = Tensor(slot.value)
        if results is not None:
            return [Tensor(results[i]) for i in range(count)]
        return Tensor(answer) if self.result == "situ_tensor *" else answer


class Library:
    def __init__(self):
        text = without_comments(read_headers())
        self.enums = read_enums(text)
        enum_names = set(re.findall(r"typedef enum (\w+)", text))
        self.structs = read_structs(text, {**self.enums, **{n: 0 for n in enum_names}})
        folder = pathlib.Path(os.environ.get("SITU_BUILD_DIR", ROOT / "build"))
        self.lib = ctypes.CDLL(str(folder / "libsitu.so"))
        self.prototypes = read_prototypes(text)
        self.missing = []
        self.functions = {}
        defaults = read_defaults(self.prototypes, folder)
        for name, result, parameters in self.prototypes:
            try:
                pointer = getattr(self.lib, name)
            except AttributeError:
                self.missing.append(name)
                continue
            pointer.restype = c_type(result, self.structs, enum_names)
            if result == "char *":
                pointer.restype = ctypes.c_void_p
            pointer.argtypes = [c_type(t, self.structs, enum_names) for t, _ in parameters]
            self.functions[name] = Function(self, name, result, parameters, defaults.get(name))
        self.failed = self.lib.situ_failed

    def __getattr__(self, name):
        functions = self.__dict__["functions"]
        for full in (f"situ_{name}", f"situ_{name}_at", f"situ_{name.rstrip('_')}"):
            if full in functions:
                setattr(self, name, functions[full])
                return functions[full]
        if name.isupper() and f"SITU_{name}" in self.enums:
            return self.enums[f"SITU_{name}"]
        raise AttributeError(name)

    def operations(self):
        """The functions that record: they return a tensor (or several) and take a call site."""
        return [f for f in self.functions.values()
                if any(t == "situ_site" for t, _ in f.parameters)
                and (f.result == "situ_tensor *" or any(t == "situ_tensor * *" for t, _ in f.parameters))]

    def check(self):
        if self.failed():
            error = Error()
            self.lib.situ_error_take(ctypes.byref(error))
            raise SituError(error.code, error.message.decode(errors="replace"))

    def argument(self, kind, value):
        if kind in ("situ_tensor *", "const situ_tensor *"):
            if isinstance(value, Tensor):
                return value.handle
            if value is None:
                return None
            if isinstance(value, (bool, np.bool_)):
                return self.lib.situ_scalar_bool(bool(value))
            if isinstance(value, (int, np.integer)):
                return self.lib.situ_scalar_int(int(value))
            if isinstance(value, (float, np.floating)):
                return self.lib.situ_scalar_float(float(value))
            raise TypeError(f"not an operand: {value!r}")
        if kind == "situ_shape":
            return shape_of(value)
        if kind == "situ_axes":
            return axes_of(value)
        if kind == "situ_list":
            return list_of(value)
        if kind == "situ_dtype" and isinstance(value, str):
            return NUMBER[value]
        if isinstance(value, str):
            return value.encode()
        return value

    # ---- what reads better by hand ----

    @contextlib.contextmanager
    def scope(self):
        scope = self.lib.situ_scope_open()
        self.check()
        try:
            yield
        finally:
            self.lib.situ_scope_close(scope)
        self.check()

    def array(self, values, dtype=None, device=None):
        """A tensor with the values of an array, in its dtype; "bf16" rounds float32 values."""
        values = np.asarray(values)
        if dtype == "bf16":
            data = to_bf16(values)
        else:
            data = np.array(values, NUMPY[dtype] if dtype else None, order="C", copy=True)
            dtype = FROM_NUMPY[data.dtype]
        data = np.ascontiguousarray(data).reshape(values.shape)
        options = {"dtype": dtype}
        if device is not None:
            options["device"] = device
        return self.from_host(data.ctypes.data, values.shape, **options)

    def evaluate(self, *tensors):
        self.lib.situ_eval(list_of(tensors), caller())
        self.check()

    def gradients(self, y, wrt, g=None):
        """The gradients of the scalar y (or the pullback of g through y) by each tensor of wrt."""
        n = len(wrt)
        out = (ctypes.c_void_p * n)()
        if g is None:
            self.lib.situ_grad(y.handle, list_of(wrt), ctypes.addressof(out), caller())
        else:
            self.lib.situ_pullback(y.handle, g.handle, list_of(wrt), ctypes.addressof(out), caller())
        self.check()
        return [Tensor(out[i]) for i in range(n)]

    def text_of(self, t):
        pointer = self.lib.situ_text(t.handle, caller())
        self.check()
        try:
            return ctypes.string_at(pointer).decode()
        finally:
            ctypes.CDLL(None).free(ctypes.c_void_p(pointer))

    def cpu(self):
        return Device(self.enums["SITU_CPU"], 0)

    def gpu(self, index=0):
        return Device(self.enums["SITU_GPU"], index)

    def null(self):
        return Device(self.enums["SITU_NULL"], 0)

    def pjrt(self, index=0):
        return Device(self.enums["SITU_PJRT"], index)

    def opencl(self, index=0):
        return Device(self.enums["SITU_OPENCL"], index)

    def memory_in_use(self, device):
        memory = self.structs["situ_memory"]()
        self.lib.situ_memory_of(device, ctypes.addressof(memory))
        self.check()
        return memory.in_use


situ = Library()


# ---- reporting --------------------------------------------------------------------------------------------------------

CASES = float(os.environ.get("SITU_TEST_CASES", "1"))


def cases(count):
    """How many cases to run: `count`, times SITU_TEST_CASES."""
    return max(1, int(count * CASES))


def run_tests(module):
    """Runs the functions test_* of a module in order and prints PASS, FAIL or SKIP for each; exits with the verdict."""
    failed = 0
    wanted = sys.argv[1:]
    for name, test in list(vars(module).items()):
        if not name.startswith("test_") or (wanted and not any(w in name for w in wanted)):
            continue
        try:
            note = test()
            print(f"PASS {name[5:]}" + (f": {note}" if note else ""), flush=True)
        except Skip as skip:
            print(f"SKIP {name[5:]}: {skip}", flush=True)
        except Exception as error:  # a test must not stop the others
            failed += 1
            text = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
            print(f"FAIL {name[5:]}: {text}", flush=True)
            if os.environ.get("SITU_TEST_TRACE"):
                import traceback
                traceback.print_exc()
            situ.lib.situ_error_take(None)
    sys.exit(1 if failed else 0)


class Skip(Exception):
    """Raised by a test that cannot run here: why."""


def test_headers():
    """Every function that the headers promise is in the library."""
    assert len(situ.functions) > 200, f"only {len(situ.functions)} prototypes found"
    assert not situ.missing, f"not exported: {', '.join(situ.missing)}"
    return f"{len(situ.functions)} functions"


if __name__ == "__main__":
    run_tests(sys.modules[__name__])
