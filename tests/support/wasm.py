#!/usr/bin/env python3
"""wasm.py PROGRAM.wasm [ARGUMENT...]: runs a WASI program by wasmtime, with this process's standard streams, SITU_ variables and the
current folder. Its exit status is the program's."""
import os
import sys

import wasmtime

engine = wasmtime.Engine()
linker = wasmtime.Linker(engine)
linker.define_wasi()
store = wasmtime.Store(engine)
wasi = wasmtime.WasiConfig()
wasi.argv = sys.argv[1:]
wasi.env = [pair for pair in os.environ.items() if pair[0].startswith("SITU_")]
wasi.inherit_stdin()
wasi.inherit_stdout()
wasi.inherit_stderr()
wasi.preopen_dir(".", ".")
store.set_wasi(wasi)
instance = linker.instantiate(store, wasmtime.Module.from_file(engine, sys.argv[1]))
try:
    instance.exports(store)["_start"](store)
except wasmtime.ExitTrap as end:
    sys.exit(end.code)
