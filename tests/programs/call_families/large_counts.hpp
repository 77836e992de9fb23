// Tells a program of this folder what there is of MPI 4, and, where PROGRAMS_LARGE_COUNTS is
// defined, gives it the calls with large counts under the names of the others. Included after
// mpi.h.
#pragma once

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define PROGRAMS_HAVE_MPI_4 1  // all but large counts, for Open MPI 5
#endif

#ifdef PROGRAMS_LARGE_COUNTS
#define MPI_Accumulate MPI_Accumulate_c
#define MPI_Allgather MPI_Allgather_c
#define MPI_Bsend MPI_Bsend_c
#define MPI_Bsend_init MPI_Bsend_init_c
#define MPI_Buffer_attach MPI_Buffer_attach_c
#define MPI_Get MPI_Get_c
#define MPI_Get_accumulate MPI_Get_accumulate_c
#define MPI_Ibsend MPI_Ibsend_c
#define MPI_Imrecv MPI_Imrecv_c
#define MPI_Irecv MPI_Irecv_c
#define MPI_Irsend MPI_Irsend_c
#define MPI_Isend MPI_Isend_c
#define MPI_Isendrecv MPI_Isendrecv_c
#define MPI_Isendrecv_replace MPI_Isendrecv_replace_c
#define MPI_Issend MPI_Issend_c
#define MPI_Mrecv MPI_Mrecv_c
#define MPI_Put MPI_Put_c
#define MPI_Raccumulate MPI_Raccumulate_c
#define MPI_Recv MPI_Recv_c
#define MPI_Recv_init MPI_Recv_init_c
#define MPI_Rget MPI_Rget_c
#define MPI_Rget_accumulate MPI_Rget_accumulate_c
#define MPI_Rput MPI_Rput_c
#define MPI_Rsend MPI_Rsend_c
#define MPI_Rsend_init MPI_Rsend_init_c
#define MPI_Send MPI_Send_c
#define MPI_Send_init MPI_Send_init_c
#define MPI_Sendrecv MPI_Sendrecv_c
#define MPI_Sendrecv_replace MPI_Sendrecv_replace_c
#define MPI_Ssend MPI_Ssend_c
#define MPI_Ssend_init MPI_Ssend_init_c
#define MPI_Win_allocate MPI_Win_allocate_c
#define MPI_Win_allocate_shared MPI_Win_allocate_shared_c
#define MPI_Win_create MPI_Win_create_c
#endif
