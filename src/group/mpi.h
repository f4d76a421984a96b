/* An MPI library that is opened at run time. The launcher that started the process decides which one, before anything
 * is opened: an MPI under another one's launcher gives each process a world of its own, or ends the process inside
 * MPI_Init. */
#ifndef SITU_GROUP_MPI_H
#define SITU_GROUP_MPI_H

#include <stdbool.h>
#include <stddef.h>

typedef enum situ_mpi_family { SITU_MPI_NONE, SITU_MPI_OPEN, SITU_MPI_MPICH, SITU_MPI_STANDARD } situ_mpi_family;

/* MPI's handles are pointers in Open MPI and in the standard ABI, int in MPICH. On a little-endian machine an int in a
 * register or in zeroed memory equals a pointer of that value, so one set of prototypes serves all three. On a
 * big-endian machine MPICH is refused. */
typedef void *situ_mpi_handle;

enum { SITU_MPI_STATUS_WORDS = 8 }; /* larger than any MPI_Status, which has 20 to 32 bytes */

typedef struct situ_mpi {
    void *library;
    situ_mpi_family family;
    int major;         /* version of Open MPI; 0: unknown */
    bool there_before; /* the program had opened it before */
    bool hangs_at_end; /* its MPI_Finalize may hang: see hydra.c */
    char version[96];  /* "Open MPI 4.1.4"                       */
    situ_mpi_handle world, byte, errors_return;
    int serialized, multiple; /* its numbers for these thread levels */
    int (*Abi_get_version)(int *major, int *minor);
    int (*Get_library_version)(char *version, int *length);
    int (*Initialized)(int *flag);
    int (*Finalized)(int *flag);
    int (*Init_thread)(int *argc, char ***argv, int required, int *provided);
    int (*Query_thread)(int *provided);
    int (*Finalize)(void);
    int (*Abort)(situ_mpi_handle communicator, int code);
    int (*Comm_dup)(situ_mpi_handle communicator, situ_mpi_handle *out);
    int (*Comm_rank)(situ_mpi_handle communicator, int *rank);
    int (*Comm_size)(situ_mpi_handle communicator, int *size);
    int (*Comm_set_errhandler)(situ_mpi_handle communicator, situ_mpi_handle handler);
    int (*Isend)(
        const void *data, int count, situ_mpi_handle type, int to, int tag, situ_mpi_handle communicator, situ_mpi_handle *request);
    int (*Irecv)(
        void *data, int count, situ_mpi_handle type, int from, int tag, situ_mpi_handle communicator, situ_mpi_handle *request);
    int (*Test)(situ_mpi_handle *request, int *flag, void *status);
    int (*Error_string)(int code, char *text, int *length);
    /* functions of ULFM; NULL if it has none */
    int (*Comm_revoke)(situ_mpi_handle communicator);
    int (*Comm_agree)(situ_mpi_handle communicator, int *flag);
    int (*Comm_shrink)(situ_mpi_handle communicator, situ_mpi_handle *out);
    int (*Comm_group)(situ_mpi_handle communicator, situ_mpi_handle *out);
    int (*Group_translate_ranks)(situ_mpi_handle a, int count, const int *rank, situ_mpi_handle b, int *out);
    int (*Group_free)(situ_mpi_handle *group);
} situ_mpi;

/* The launcher that started the process, from the environment variables that launchers set. */
typedef struct situ_launcher {
    situ_mpi_family family; /* SITU_MPI_NONE: no launcher; SITU_MPI_MPICH: hydra */
    int major, size;        /* major version of Open MPI; number of processes, 0: unknown */
    const char *name;       /* "mpirun of Open MPI 5" */
} situ_launcher;
situ_launcher situ_launcher_of(void);

/* Opens an MPI: the one that the program uses already, else the one of SITU_MPI, else the launcher's, else none.
 * Returns 0 with the family SITU_MPI_NONE if there is none. An MPI that cannot run under this launcher is a negative
 * code, with the reason. */
int situ_mpi_open(situ_mpi *out, const situ_launcher *launcher, char *reason, size_t n);
/* Opens the library with this file or name, whatever the launcher, and identifies it; false with the reason. */
bool situ_mpi_try(situ_mpi *out, const char *name, char *reason, size_t n);
/* Does it report deaths of processes to the survivors and let them continue? In some MPIs these functions exist but do
 * not work. */
bool situ_mpi_has_survivors(const situ_mpi *m);
/* File names of MPI libraries, those of this family first; ends with NULL. */
const char *const *situ_mpi_names(situ_mpi_family family);

#endif
