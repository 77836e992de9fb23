! A region of OpenMP in Fortran: 5 passes of 2 threads, and an allreduce behind each.
program openmp_regions_fortran
  use mpi
  implicit none
  integer :: error, provided, i, k, sum, all
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  do i = 1, 5
    sum = 0
    !$omp parallel do num_threads(2) reduction(+:sum)
    do k = 1, 100
      sum = sum + k
    end do
    !$omp end parallel do
    call MPI_Allreduce(sum, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  call MPI_Finalize(error)
  if (sum /= 5050) stop 1
end program openmp_regions_fortran
