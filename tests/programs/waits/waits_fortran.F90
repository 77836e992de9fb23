! One wait state of each family, from Fortran; as waits.c, with the same stamps. FLAVOUR_MPI or
! FLAVOUR_F08 says by which module MPI is called.
!   waits_fortran_FLAVOUR DIRECTORY
module stamps
  use, intrinsic :: iso_c_binding
  implicit none

  ! See tests/programs/waits/call_stamps.h.
  interface
    integer(c_int64_t) function stamps_now() bind(C)
      import :: c_int64_t
    end function
    subroutine stamps_of(rank) bind(C)
      import :: c_int
      integer(c_int), value :: rank
    end subroutine
    subroutine stamps_experiment(name, begin) bind(C)
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: name
      integer(c_int64_t), value :: begin
    end subroutine
    subroutine delayed_until_ms(milliseconds) bind(C)
      import :: c_int
      integer(c_int), value :: milliseconds
    end subroutine
    subroutine stamps_call_begins(function_name, call_name) bind(C)
      import :: c_ptr, c_char
      type(c_ptr), value :: function_name
      character(kind=c_char), intent(in) :: call_name(*)
    end subroutine
    subroutine stamps_call_ended() bind(C)
    end subroutine
    subroutine stamps_gives(tag, number) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: tag(*)
      integer(c_int), value :: number
    end subroutine
    subroutine stamps_needs(pattern, tag, number) bind(C)
      import :: c_ptr, c_char, c_int
      type(c_ptr), value :: pattern
      character(kind=c_char), intent(in) :: tag(*)
      integer(c_int), value :: number
    end subroutine
    integer(c_int) function stamps_write(directory) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: directory(*)
    end function
  end interface

  ! Names that the stamps keep: experiments, which are functions of that name, and patterns.
  integer, parameter :: name_length = 32
  character(kind=c_char, len=name_length), target :: names(32)
  integer :: names_kept = 0
  type(c_ptr) :: experiment

contains

  ! The same text as C wants it, for as long as the program runs.
  type(c_ptr) function kept(text)
    character(len=*), intent(in) :: text
    integer :: i
    do i = 1, names_kept
      if (names(i) == text // c_null_char) exit
    end do
    if (i > names_kept) then
      names_kept = i
      names(i) = text // c_null_char
    end if
    kept = c_loc(names(i))
  end function

  subroutine begins(call_name)
    character(len=*), intent(in) :: call_name
    call stamps_call_begins(experiment, call_name // c_null_char)
  end subroutine

  subroutine gives(tag, number)
    character(len=*), intent(in) :: tag
    integer, intent(in) :: number
    call stamps_gives(tag // c_null_char, int(number, c_int))
  end subroutine

  subroutine needs(pattern, tag, number)
    character(len=*), intent(in) :: pattern, tag
    integer, intent(in) :: number
    call stamps_needs(kept(pattern), tag // c_null_char, int(number, c_int))
  end subroutine

  subroutine delay(milliseconds)
    integer, intent(in) :: milliseconds
    call delayed_until_ms(int(milliseconds, c_int))
  end subroutine

end module

module experiments
  use stamps
#if defined(FLAVOUR_F08)
  use mpi_f08
#else
  use mpi
#endif
  implicit none

#if defined(FLAVOUR_F08)
#define HANDLE(KIND) type(KIND)
#define STATUS_DECLARED type(MPI_Status)
#else
#define HANDLE(KIND) integer
#define STATUS_DECLARED integer, dimension(MPI_STATUS_SIZE)
#endif

  integer :: rank, ranks, ierror

contains

  subroutine late_sender_in_fortran()
    integer :: value
    STATUS_DECLARED :: status
    value = rank
    if (rank == 1) then
      call delay(20)
      call begins('MPI_Send')
      call MPI_Send(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
      call stamps_call_ended()
      call gives('sent', 0)
    else if (rank == 0) then
      call begins('MPI_Recv')
      call MPI_Recv(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, status, ierror)
      call stamps_call_ended()
      call needs('late_sender', 'sent', 0)
    end if
  end subroutine

  subroutine late_sender_waitall_in_fortran()
    integer :: value, i
    integer, asynchronous :: values(ranks - 1)
    HANDLE(MPI_Request) :: requests(ranks - 1)
    value = rank
    if (rank /= 0) then
      call delay(9 * rank)
      call begins('MPI_Send')
      call MPI_Send(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
      call stamps_call_ended()
      call gives('sent', rank)
      return
    end if
    do i = 1, ranks - 1
      call begins('MPI_Irecv')
      call MPI_Irecv(values(i), 1, MPI_INTEGER, i, 0, MPI_COMM_WORLD, requests(i), ierror)
      call stamps_call_ended()
    end do
    call begins('MPI_Waitall')
    call MPI_Waitall(ranks - 1, requests, MPI_STATUSES_IGNORE, ierror)
    call stamps_call_ended()
    do i = 1, ranks - 1
      call needs('late_sender', 'sent', i)
    end do
  end subroutine

  subroutine late_receiver_in_fortran()
    integer :: value
    STATUS_DECLARED :: status
    value = rank
    if (rank == 0) then
      call begins('MPI_Ssend')
      call MPI_Ssend(value, 1, MPI_INTEGER, 2, 0, MPI_COMM_WORLD, ierror)
      call stamps_call_ended()
      call gives('sent', 0)
      call needs('late_receiver', 'posted', 0)
    else if (rank == 2) then
      call delay(22)
      call begins('MPI_Recv')
      call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, ierror)
      call stamps_call_ended()
      call gives('posted', 0)
      call needs('late_sender', 'sent', 0)
    end if
  end subroutine

  subroutine meets(pattern)
    character(len=*), intent(in) :: pattern
    call gives('all', 0)
    call needs(pattern, 'all', 0)
  end subroutine

  subroutine barrier_in_fortran()
    call delay(7 * (rank + 1))
    call begins('MPI_Barrier')
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call stamps_call_ended()
    call meets('wait_at_barrier')
  end subroutine

  subroutine allreduce_in_fortran()
    double precision :: sums(8)
    sums = 1
    if (rank == 1) call delay(20)
    call begins('MPI_Allreduce')
    call MPI_Allreduce(MPI_IN_PLACE, sums, 8, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    call stamps_call_ended()
    call meets('wait_at_nxn')
  end subroutine

  subroutine broadcast_in_fortran()
    integer :: value
    value = rank
    if (rank == 1) call delay(19)
    call begins('MPI_Bcast')
    call MPI_Bcast(value, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
    call stamps_call_ended()
    if (rank == 1) then
      call gives('handed_out', 0)
    else
      call needs('late_broadcast', 'handed_out', 0)
    end if
  end subroutine

  subroutine reduce_in_fortran()
    integer :: value, total
    value = rank
    call delay(8 * rank)
    call begins('MPI_Reduce')
    call MPI_Reduce(value, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    call stamps_call_ended()
    if (rank == 0) then
      call needs('early_reduce', 'collected', 0)
    else
      call gives('collected', 0)
    end if
  end subroutine

  subroutine scan_in_fortran()
    integer :: value, total, i
    value = rank
    call delay(6 * (ranks - rank))
    call begins('MPI_Scan')
    call MPI_Scan(value, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call stamps_call_ended()
    call gives('scanned', rank)
    do i = 0, rank - 1
      call needs('early_scan', 'scanned', i)
    end do
  end subroutine

  subroutine ibarrier_in_fortran()
    HANDLE(MPI_Request) :: request
    STATUS_DECLARED :: status
    if (rank == 0) call delay(24)
    call begins('MPI_Ibarrier')
    call MPI_Ibarrier(MPI_COMM_WORLD, request, ierror)
    call stamps_call_ended()
    call gives('all', 0)
    call delay(4 * rank + 8)
    call begins('MPI_Wait')
    call MPI_Wait(request, status, ierror)
    call stamps_call_ended()
    call needs('wait_at_barrier', 'all', 0)
  end subroutine

  subroutine fence_in_fortran()
    integer, asynchronous :: memory(16)
    HANDLE(MPI_Win) :: window
    integer :: i
    call MPI_Win_create(memory, int(64, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
    do i = 0, 1
      if (rank == i) call delay(14 * (i + 1))
      call begins('MPI_Win_fence')
      call MPI_Win_fence(0, window, ierror)
      call stamps_call_ended()
      call gives('all', i)
      call needs('wait_at_fence', 'all', i)
    end do
    call MPI_Win_free(window, ierror)
  end subroutine

end module

program waits_fortran
  use experiments
  implicit none
  integer, parameter :: slot_ms = 60
  character(len=4096) :: directory
  integer(c_int64_t) :: start
  integer :: slot = 0

  call get_command_argument(1, directory)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  if (ranks < 3 .or. directory == '') call MPI_Abort(MPI_COMM_WORLD, 2, ierror)
  call stamps_of(int(rank, c_int))
  call agree_on_start()
  call run('late_sender_in_fortran', late_sender_in_fortran)
  call run('late_sender_waitall_in_fortran', late_sender_waitall_in_fortran)
  call run('late_receiver_in_fortran', late_receiver_in_fortran)
  call run('barrier_in_fortran', barrier_in_fortran)
  call run('allreduce_in_fortran', allreduce_in_fortran)
  call run('broadcast_in_fortran', broadcast_in_fortran)
  call run('reduce_in_fortran', reduce_in_fortran)
  call run('scan_in_fortran', scan_in_fortran)
  call run('ibarrier_in_fortran', ibarrier_in_fortran)
  call run('fence_in_fortran', fence_in_fortran)
  call MPI_Finalize(ierror)
  if (stamps_write(trim(directory) // c_null_char) /= 0) error stop 1

contains

  ! 30 ms from when rank 0 has seen all.
  subroutine agree_on_start()
    experiment = kept('agree_on_start')
    call stamps_experiment(experiment, 0_c_int64_t)
    call begins('MPI_Barrier')
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call stamps_call_ended()
    call meets('wait_at_barrier')
    start = stamps_now() + 30000000_c_int64_t
    call begins('MPI_Bcast')
    call MPI_Bcast(start, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierror)
    call stamps_call_ended()
    if (rank == 0) then
      call gives('handed_out', 0)
    else
      call needs('late_broadcast', 'handed_out', 0)
    end if
  end subroutine

  subroutine run(name, what)
    character(len=*), intent(in) :: name
    interface
      subroutine what()
      end subroutine
    end interface
    experiment = kept(name)
    call stamps_experiment(experiment, start + slot * int(slot_ms * 1000000, c_int64_t))
    slot = slot + 1
    call delay(0)
    call what()
  end subroutine

end program
