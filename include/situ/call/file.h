/* Calls of situ/file.h. Made by scripts/generate.py from include/situ/file.h: change that. */
#ifndef SITU_CALL_FILE_H
#define SITU_CALL_FILE_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_ARCHIVE_OPEN_DEFAULTS (.map = true,)
#define SITU_ARCHIVE_GET_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT,)
#define SITU_SAVE_DEFAULTS ()
#define SITU_MODULE_SAVE_DEFAULTS ()
#define SITU_MODULE_LOAD_DEFAULTS (.strict = true, .map = true,)
#define SITU_VIRTUAL_FILE_OPEN_DEFAULTS ()

#ifndef __cplusplus
#define situ_archive_open(...) situ_archive_open_(__VA_ARGS__, )
#define situ_archive_open_(path, ...) \
    SITU_OPTIONS_(situ_archive_open_options, SITU_ARCHIVE_OPEN_DEFAULTS, situ_archive_open, ((path),), \
    "situ_archive_open(path, .map = ...)", __VA_ARGS__)
#define situ_archive_get(...) situ_archive_get_(__VA_ARGS__, )
#define situ_archive_get_(archive, name, ...) \
    SITU_OPTIONS_(situ_archive_get_options, SITU_ARCHIVE_GET_DEFAULTS, situ_archive_get, (SITU_HANDLE(const \
    situ_archive *, archive), (name),), "situ_archive_get(archive, name, .dtype = ..., .device = ..., .copy = ...)", \
    __VA_ARGS__)
#define situ_save(...) situ_save_(__VA_ARGS__, )
#define situ_save_(path, tensors, ...) \
    SITU_OPTIONS_(situ_save_options, SITU_SAVE_DEFAULTS, situ_save, ((path), (tensors),), \
    "situ_save(path, TENSORS(a, b), .names = ..., .metadata = ..., .shard_bytes = ...)", __VA_ARGS__)
#define situ_module_save(...) situ_module_save_(__VA_ARGS__, )
#define situ_module_save_(net, path, ...) \
    SITU_OPTIONS_(situ_module_save_options, SITU_MODULE_SAVE_DEFAULTS, situ_module_save, (SITU_HANDLE(situ_module *, \
    net), (path),), "situ_module_save(net, path, .metadata = ..., .shard_bytes = ...)", __VA_ARGS__)
#define situ_module_load(...) situ_module_load_(__VA_ARGS__, )
#define situ_module_load_(net, path, ...) \
    SITU_OPTIONS_(situ_module_load_options, SITU_MODULE_LOAD_DEFAULTS, situ_module_load, (SITU_HANDLE(situ_module *, \
    net), (path),), "situ_module_load(net, path, .strict = ..., .map = ..., .rename = ...)", __VA_ARGS__)
#define situ_virtual_file_open(...) situ_virtual_file_open_(__VA_ARGS__, )
#define situ_virtual_file_open_(name, ...) \
    SITU_OPTIONS_(situ_virtual_file_open_options, SITU_VIRTUAL_FILE_OPEN_DEFAULTS, situ_virtual_file_open, ((name),), \
    "situ_virtual_file_open(name, .bytes = ..., .bytes_size = ..., .borrow = ..., ...)", __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_archive_close(archive) SITU_AT_(situ_archive_close, SITU_HANDLE(situ_archive *, archive))
#define situ_archive_name(archive, i) \
    SITU_AT_(situ_archive_name, SITU_HANDLE(const situ_archive *, archive), SITU_INTEGER(i))
#define situ_archive_type(archive, i) \
    SITU_AT_(situ_archive_type, SITU_HANDLE(const situ_archive *, archive), SITU_INTEGER(i))
#define situ_archive_shape(archive, i) \
    SITU_AT_(situ_archive_shape, SITU_HANDLE(const situ_archive *, archive), SITU_INTEGER(i))
#define situ_archive_bytes(archive, i) \
    SITU_AT_(situ_archive_bytes, SITU_HANDLE(const situ_archive *, archive), SITU_INTEGER(i))
#define situ_virtual_file_path(file) SITU_AT_(situ_virtual_file_path, SITU_HANDLE(const situ_virtual_file *, file))
#define situ_virtual_file_close(file) SITU_AT_(situ_virtual_file_close, SITU_HANDLE(situ_virtual_file *, file))
#endif

#endif
