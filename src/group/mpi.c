#include "group/mpi.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/error.h"
#include "os/env.h"
#include "os/file.h"
#include "os/library.h"
#include "os/process.h"

#define ROW(name, optional) \
    { \
        "MPI_" #name, offsetof(situ_mpi, name), optional \
    }
static const situ_symbol symbols[] = {ROW(Abi_get_version, true), ROW(Get_library_version, false), ROW(Initialized, false),
    ROW(Finalized, false), ROW(Init_thread, false), ROW(Query_thread, false), ROW(Finalize, false), ROW(Abort, false),
    ROW(Comm_dup, false), ROW(Comm_rank, false), ROW(Comm_size, false), ROW(Comm_set_errhandler, false), ROW(Isend, false),
    ROW(Irecv, false), ROW(Test, false), ROW(Error_string, false), {"MPIX_Comm_revoke", offsetof(situ_mpi, Comm_revoke), true},
    {"MPIX_Comm_agree", offsetof(situ_mpi, Comm_agree), true}, {"MPIX_Comm_shrink", offsetof(situ_mpi, Comm_shrink), true},
    ROW(Comm_group, true), ROW(Group_translate_ranks, true), ROW(Group_free, true), {NULL, 0, false}};

situ_launcher situ_launcher_of(void)
{
    const char *size = situ_env("OMPI_COMM_WORLD_SIZE");
    if (size) {
        bool five = situ_env("PRTE_LAUNCHED") != NULL;
        return (situ_launcher){SITU_MPI_OPEN, five ? 5 : 4, atoi(size), five ? "mpirun of Open MPI 5" : "mpirun of Open MPI 4"};
    }
    size = situ_env("PMI_SIZE");
    if (situ_env("PMI_FD") || (size && situ_env("PMI_RANK")))
        return (situ_launcher){SITU_MPI_MPICH, 0, size ? atoi(size) : 0, "mpiexec of MPICH (hydra)"};
    const char *tasks = situ_env("SLURM_STEP_NUM_TASKS");
    if (situ_env("PMIX_RANK")) return (situ_launcher){SITU_MPI_OPEN, 0, tasks ? atoi(tasks) : 0, "srun of Slurm, by PMIx"};
    return (situ_launcher){SITU_MPI_NONE, 0, tasks ? atoi(tasks) : 0, tasks ? "srun of Slurm" : "none"};
}

const char *const *situ_mpi_names(situ_mpi_family family)
{
    static const char *const open[] = {SITU_LIBRARY("mpi", "40"), SITU_LIBRARY("mpi_abi", "1"), NULL};
    static const char *const hydra[] = {SITU_LIBRARY("mpi_abi", "1"), SITU_LIBRARY("mpi", "12"), SITU_LIBRARY("mpich", "12"), NULL};
    static const char *const all[] = {
        SITU_LIBRARY("mpi_abi", "1"), SITU_LIBRARY("mpi", "40"), SITU_LIBRARY("mpi", "12"), SITU_LIBRARY("mpich", "12"), NULL};
    return family == SITU_MPI_OPEN ? open : family == SITU_MPI_MPICH ? hydra : all;
}

/* Recognises the MPI. The constants are from each ABI's mpi.h, checked with Open MPI 4.1.4 and 5.0.11, MPICH 4.0.2 and
 * 5.0.2. */
static bool recognise(situ_mpi *m, char *reason, size_t n)
{
    int major = -1, minor = -1;
    if (m->Abi_get_version) m->Abi_get_version(&major, &minor);
    void *world = situ_library_symbol(m->library, "ompi_mpi_comm_world");
    m->serialized = 2;
    m->multiple = 3;
    if (major > 0) {
        m->family = SITU_MPI_STANDARD;
        m->world = (void *)(uintptr_t)0x101;
        m->byte = (void *)(uintptr_t)0x247;
        m->errors_return = (void *)(uintptr_t)0x143;
        m->serialized = 2048;
        m->multiple = 4096;
    } else if (world) {
        m->family = SITU_MPI_OPEN;
        m->world = world;
        m->byte = situ_library_symbol(m->library, "ompi_mpi_byte");
        m->errors_return = situ_library_symbol(m->library, "ompi_mpi_errors_return");
        if (!m->byte || !m->errors_return) return snprintf(reason, n, "an Open MPI without ompi_mpi_byte"), false;
    } else if (SITU_BIG_ENDIAN) {
        return snprintf(reason, n, "an MPICH, which is not supported on big-endian machines; Open MPI is"), false;
    } else {
        m->family = SITU_MPI_MPICH;
        m->world = (void *)(uintptr_t)0x44000000;
        m->byte = (void *)(uintptr_t)0x4c00010d;
        m->errors_return = (void *)(uintptr_t)0x54000001;
    }
    return true;
}

/* Shortens "Open MPI v4.1.4, package: ..." and "MPICH Version:      4.0.2\n..." to "Open MPI 4.1.4" and "MPICH 4.0.2". */
static void read_version(situ_mpi *m)
{
    char text[8200] = "", word[32] = "";
    int length = 0;
    m->Get_library_version(text, &length);
    text[sizeof text - 1] = 0;
    const char *digit = strpbrk(text, "0123456789");
    if (digit) sscanf(digit, "%31[0-9a-zA-Z.]", word);
    if (!strncmp(text, "Open MPI", 8)) m->major = atoi(word);
    int name = (int)strcspn(text, "v0123456789:\n");
    if (name > 8 && !strncmp(text + name - 8, " Version", 8)) name -= 8;
    while (name > 0 && text[name - 1] == ' ') name--;
    if (!strncmp(text, "MPICH Version", 13)) name = 5;
    snprintf(m->version, sizeof m->version, "%.*s %s", name > 40 ? 40 : name, text, word);
    bool old = !strncmp(word, "4.0", 3) || !strncmp(word, "4.1", 3);
    m->hangs_at_end = m->family == SITU_MPI_MPICH && old && strstr(text, "ch4:ucx");
}

static bool take(situ_mpi *m, char *reason, size_t n)
{
    if (situ_library_symbols(m->library, symbols, m, reason, n) || !recognise(m, reason, n)) return false;
    read_version(m);
    return true;
}

bool situ_mpi_has_survivors(const situ_mpi *m)
{
    return m->family == SITU_MPI_OPEN && m->major >= 5 && m->Comm_revoke && m->Comm_agree && m->Comm_shrink && m->Comm_group &&
        m->Group_translate_ranks && m->Group_free;
}

bool situ_mpi_try(situ_mpi *out, const char *name, char *reason, size_t n)
{
    const char *names[] = {name, NULL};
    *out = (situ_mpi){0};
    out->library = situ_library_open(names, reason, n);
    return out->library && take(out, reason, n);
}

/* The handle of an MPI that the program, or a package of an interpreter, has opened already. */
static void *already(void)
{
    if (situ_library_symbol(NULL, "MPI_Init_thread")) return situ_library_loaded(NULL);
    for (const char *const *name = situ_mpi_names(SITU_MPI_NONE); *name; name++) {
        void *library = situ_library_loaded(*name);
        if (library) return library;
    }
    return NULL;
}

/* True if another MPI than `m` is loaded: two in one process would call each other's functions. */
static bool is_other(const situ_mpi *m, const char *name)
{
    void *library = situ_library_loaded(name);
    bool same = library && situ_library_symbol(library, "MPI_Init_thread") == (void *)(uintptr_t)m->Init_thread;
    situ_library_close(library);
    return !same;
}

/* The folder lib beside the launcher's bin. hydra sets no library path, so the name alone might find another MPI, or
 * none. */
static bool launcher_folder(char *folder, size_t n)
{
    static const char *const launchers[] = {"mpirun", "orterun", "prterun", "orted", "prted", "prte", "hydra_pmi_proxy", NULL};
    char program[1024];
    int64_t pid = situ_process_parent(situ_process_id());
    for (int up = 0; pid > 1 && up < 3; pid = situ_process_parent(pid), up++) {
        char *slash = situ_process_program(pid, program, sizeof program) ? strrchr(program, '/') : NULL;
        if (!slash) continue;
        const char *name = slash + 1;
        bool known = !strncmp(name, "mpiexec", 7);
        for (int i = 0; launchers[i] && !known; i++) known = !strcmp(name, launchers[i]);
        if (!known) continue;
        *slash = 0;
        if ((slash = strrchr(program, '/'))) *slash = 0; /* of its folder, bin */
        snprintf(folder, n, "%.1000s/lib", program);
        return true;
    }
    return false;
}

/* Opens the MPI that belongs to the launcher. */
static bool open_launchers(situ_mpi *m, const situ_launcher *launcher, char *reason, size_t n)
{
    char folder[1024], path[1200];
    const char *location = launcher->family == SITU_MPI_OPEN ? situ_env("OMPI_LIBDIR_LOC") : NULL;
    if (location) snprintf(folder, sizeof folder, "%s", location);
    const char *const *names = situ_mpi_names(launcher->family);
    if (location || launcher_folder(folder, sizeof folder))
        for (int i = 0; names[i]; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, names[i]);
            if (situ_file_exists(path) && situ_mpi_try(m, path, reason, n)) return true;
        }
    for (int i = 0; names[i]; i++)
        if (situ_mpi_try(m, names[i], reason, n)) return true;
    char why[200];
    snprintf(why, sizeof why, "%.190s", reason);
    snprintf(reason, n, "the process was started by the %s, but its library was not found (%s); name it: SITU_MPI=/path/to/%s",
        launcher->name, why, launcher->family == SITU_MPI_OPEN ? SITU_LIBRARY("mpi", "40") : SITU_LIBRARY("mpi", "12"));
    return false;
}

/* Refuses combinations that would give each process a world of its own, or end it inside MPI_Init. Open MPI 5 alone
 * runs under the mpirun of 4, but not beside a rank of 4, and no rank can see here what the others use. */
static bool fits(const situ_mpi *m, const situ_launcher *launcher, bool named, char *reason, size_t n)
{
    if (launcher->family == SITU_MPI_NONE) return true;
    bool open = m->family == SITU_MPI_OPEN || m->major;
    bool version = !open || !launcher->major || (m->major >= 5) == (launcher->major >= 5);
    if (open == (launcher->family == SITU_MPI_OPEN) && version) return true;
    const char *how = named ? "SITU_MPI names" : "the library that is found is";
    const char *mend = named ? "let it use the launcher's own: without SITU_MPI" : "name the launcher's own: SITU_MPI=FILE";
    if (m->there_before) how = "the program uses", mend = "let it use the launcher's own";
    snprintf(reason, n, "the process was started by the %s, but %s %s; start it with the launcher of that one, or %s",
        launcher->name, how, m->version, mend);
    return false;
}

int situ_mpi_open(situ_mpi *out, const situ_launcher *launcher, char *reason, size_t n)
{
    *out = (situ_mpi){0};
    const char *named = situ_env("SITU_MPI");
    void *library = already();
    if (library) {
        *out = (situ_mpi){.library = library, .there_before = true};
        int begun = 0;
        if (!take(out, reason, n)) return -SITU_NO_LIBRARY;
        /* MPI is linked with the program but not initialised, and no launcher started several processes: treat it as
         * absent */
        if (launcher->family == SITU_MPI_NONE && (out->Initialized(&begun) || !begun)) *out = (situ_mpi){0};
        else if (named && strcmp(named, "none") && is_other(out, named))
            return snprintf(reason, n,
                       "the program uses %s already, and SITU_MPI names %s: two MPIs in one process break each other; leave "
                       "SITU_MPI "
                       "out, or link the program with the other one",
                       out->version, named),
                   -SITU_BAD_ARGUMENT;
    } else if (named && strcmp(named, "none")) {
        if (!situ_mpi_try(out, named, reason, n)) return -SITU_NO_LIBRARY;
    } else if (named || launcher->family == SITU_MPI_NONE) {
        return 0;
    } else if (!open_launchers(out, launcher, reason, n)) {
        return -SITU_NO_LIBRARY;
    }
    return fits(out, launcher, named != NULL, reason, n) ? 0 : -SITU_BAD_ARGUMENT;
}
