/* situ._situ: the extension module. */
#include "binding.h"

#include "base/error.h"

/* setup(dtypes, device, errors, getitem, setitem, namespace, array, operand, count) */
static PyObject *setup(PyObject *self, PyObject *args)
{
    PyObject *dtypes;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOOO", &dtypes, &hooks.device, &hooks.errors, &hooks.getitem, &hooks.setitem,
            &hooks.namespace, &hooks.array, &hooks.operand, &hooks.count))
        return NULL;
    for (int d = 0; d < SITU_DTYPES; d++) {
        hooks.dtype[d] = PySequence_GetItem(dtypes, d);
        if (!hooks.dtype[d]) return NULL;
    }
    Py_INCREF(hooks.device);
    Py_INCREF(hooks.errors);
    Py_INCREF(hooks.getitem);
    Py_INCREF(hooks.setitem);
    Py_INCREF(hooks.namespace);
    Py_INCREF(hooks.array);
    Py_INCREF(hooks.operand);
    Py_INCREF(hooks.count);
    Py_RETURN_NONE;
}

static PyMethodDef setup_methods[] = {{"setup", setup, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "situ._situ", .m_doc = "situ in C.", .m_size = -1};

PyMODINIT_FUNC PyInit__situ(void);
PyMODINIT_FUNC PyInit__situ(void)
{
    situ_speaks_python = true;
    PyObject *m = PyModule_Create(&definition);
    if (!m) return NULL;
    tensor_type = (PyTypeObject *)PyType_FromSpec(&tensor_spec);
    bool ok = tensor_type && !PyModule_AddObjectRef(m, "Tensor", (PyObject *)tensor_type) &&
        !PyModule_AddFunctions(m, operation_methods) && !PyModule_AddFunctions(m, index_methods) &&
        !PyModule_AddFunctions(m, quick_methods) && !PyModule_AddFunctions(m, runtime_methods) &&
        !PyModule_AddFunctions(m, network_methods) && !PyModule_AddFunctions(m, file_methods) &&
        !PyModule_AddFunctions(m, text_methods) && !PyModule_AddFunctions(m, model_methods) &&
        !PyModule_AddFunctions(m, training_methods) && !PyModule_AddFunctions(m, module_methods) &&
        !PyModule_AddFunctions(m, state_methods) && !PyModule_AddFunctions(m, session_methods) &&
        !PyModule_AddFunctions(m, group_methods) && !PyModule_AddFunctions(m, setup_methods);
    for (PyMethodDef *const *made = made_tables; *made && ok; made++) ok = !PyModule_AddFunctions(m, *made);
    ok = ok && add_methods();
    PyObject *names = ok ? elementwise_names() : NULL;
    ok = names && !PyModule_AddObjectRef(m, "elementwise", names);
    Py_XDECREF(names);
    if (ok) return m;
    Py_DECREF(m);
    return NULL;
}
