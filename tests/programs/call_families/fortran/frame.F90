! MPI in the flavour wanted, this rank's place in the world, and its account of its own traffic.
module frame
  use, intrinsic :: iso_c_binding
#if defined(FLAVOUR_F08)
  use mpi_f08
#elif defined(FLAVOUR_MPI)
  use mpi
#endif
  implicit none
#ifdef FLAVOUR_MPIF
  include 'mpif.h'
#endif

  integer :: rank, ranks, left, right
  logical :: all_right = .true.

  ! See tests/programs/call_families/known_traffic.h.
  interface
    subroutine known_traffic_of(world_rank) bind(C)
      import :: c_int
      integer(c_int), value :: world_rank
    end subroutine
    subroutine known_sent(receiver, messages, bytes) bind(C)
      import :: c_int, c_long, c_long_long
      integer(c_int), value :: receiver
      integer(c_long), value :: messages
      integer(c_long_long), value :: bytes
    end subroutine
    subroutine known_sent_to_neighbour(receiver, messages, bytes) bind(C)
      import :: c_int, c_long, c_long_long
      integer(c_int), value :: receiver
      integer(c_long), value :: messages
      integer(c_long_long), value :: bytes
    end subroutine
    subroutine known_put(target, messages, bytes) bind(C)
      import :: c_int, c_long, c_long_long
      integer(c_int), value :: target
      integer(c_long), value :: messages
      integer(c_long_long), value :: bytes
    end subroutine
    subroutine known_fetched(target, messages, bytes) bind(C)
      import :: c_int, c_long, c_long_long
      integer(c_int), value :: target
      integer(c_long), value :: messages
      integer(c_long_long), value :: bytes
    end subroutine
    subroutine known_collective(operation, members, bytes) bind(C)
      import :: c_char, c_long_long
      character(kind=c_char), intent(in) :: operation(*), members(*)
      integer(c_long_long), value :: bytes
    end subroutine
    integer(c_int) function known_traffic_write(path) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
    end function
  end interface

contains

  subroutine enter()
    integer :: ierror
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    if (ranks < 3) call MPI_Abort(MPI_COMM_WORLD, 2, ierror)
    left = mod(rank + ranks - 1, ranks)
    right = mod(rank + 1, ranks)
    call known_traffic_of(rank)
  end subroutine

  subroutine leave()
    character(len=4096) :: path
    integer :: ierror
    if (command_argument_count() == 1) then
      call get_command_argument(1, path)
      if (known_traffic_write(trim(path)//c_null_char) /= 0) all_right = .false.
    end if
    call MPI_Finalize(ierror)
    if (.not. all_right) error stop 1
  end subroutine

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    write (*, '(a,i0,2a)') 'wrong: rank ', rank, ': ', what
    all_right = .false.
  end subroutine

  subroutine sent(receiver, bytes)
    integer, intent(in) :: receiver, bytes
    call known_sent(receiver, 1_c_long, int(bytes, c_long_long))
  end subroutine

  subroutine collective(operation, bytes, members)
    character(len=*), intent(in) :: operation
    integer, intent(in) :: bytes
    character(len=*), intent(in), optional :: members
    if (present(members)) then
      call known_collective(operation//c_null_char, members//c_null_char, int(bytes, c_long_long))
    else
      call known_collective(operation//c_null_char, 'world'//c_null_char, int(bytes, c_long_long))
    end if
  end subroutine

  subroutine meet()
    integer :: ierror
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call collective('barrier', 0)
  end subroutine

  ! "0,2,4": the world ranks from `first` in steps.
  function listed(first, step) result(list)
    integer, intent(in) :: first, step
    character(len=:), allocatable :: list
    character(len=12) :: number
    integer :: i
    list = ''
    do i = first, ranks - 1, step
      write (number, '(i0)') i
      if (i > first) list = list//','
      list = list//trim(number)
    end do
  end function

end module frame
