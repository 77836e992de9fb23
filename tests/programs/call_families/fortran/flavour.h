! What differs between the three ways that MPI has of being called from Fortran: FLAVOUR_MPIF is
! include 'mpif.h', FLAVOUR_MPI is use mpi, FLAVOUR_F08 is use mpi_f08. (A preprocessor's header:
! the sources beside it are compiled once for each.)
#ifdef FLAVOUR_F08
#define COMM_T type(MPI_Comm)
#define DATATYPE_T type(MPI_Datatype)
#define DETACHED_T type(c_ptr)
#define GROUP_T type(MPI_Group)
#define MESSAGE_T type(MPI_Message)
#define REQUEST_T type(MPI_Request)
#define WIN_T type(MPI_Win)
#define ONE_STATUS type(MPI_Status)
#define STATUSES(count) type(MPI_Status), dimension(count)
! MPICH 4.0.2 counts from 0 here.
#define LOWEST_INDEX 0
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#else
#define COMM_T integer
#define DATATYPE_T integer
#define DETACHED_T integer(kind=MPI_ADDRESS_KIND)
#define GROUP_T integer
#define MESSAGE_T integer
#define REQUEST_T integer
#define WIN_T integer
#define ONE_STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(count) integer, dimension(MPI_STATUS_SIZE, count)
#define LOWEST_INDEX 1
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#endif
