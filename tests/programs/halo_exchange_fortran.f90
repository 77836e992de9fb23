! The twin of halo_exchange.cpp: the same options, the same messages between the same ranks, the same
! collectives, the same check. That file and heat_solution.hpp describe what is computed and why.

module heat_solution
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: loss, exact, exact_residual

  real(real64), parameter, public :: diffusion = 0.2_real64
  real(real64), parameter :: pi = acos(-1.0_real64)
  integer, parameter :: modes = 3, k(modes) = [1, 3, 2], l(modes) = [2, 1, 3]

contains

  pure function loss(width, height)
    integer, intent(in) :: width, height
    real(real64) :: loss(modes)
    loss = 4*diffusion*(sin(k*pi/(2*(width + 1)))**2 + sin(l*pi/(2*(height + 1)))**2)
  end function loss

  pure function amplitude(field)
    integer, intent(in) :: field
    real(real64) :: amplitude(modes)
    integer :: m
    amplitude = [(1/(m + field/3.0_real64), m=1, modes)]
  end function amplitude

  pure real(real64) function exact(width, height, field, i, j, step)
    integer, intent(in) :: width, height, field, i, j, step
    real(real64) :: s, t
    s = i/(width + 1.0_real64)
    t = j/(height + 1.0_real64)
    exact = field + 1 + (1 + field/2.0_real64)*s - (2 + field/4.0_real64)*t &
            + (3 - field/8.0_real64)*s*t &
            + sum(amplitude(field)*(1 - loss(width, height))**step*sin(k*pi*s)*sin(l*pi*t))
  end function exact

  pure real(real64) function exact_residual(width, height, fields, step)
    integer, intent(in) :: width, height, fields, step
    real(real64), dimension(modes) :: lost, decay
    integer :: field
    lost = loss(width, height)
    decay = lost*(1 - lost)**step
    exact_residual = 0
    do field = 0, fields - 1
      exact_residual = exact_residual + sum((amplitude(field)*decay)**2)
    end do
    exact_residual = exact_residual*(width + 1.0_real64)*(height + 1.0_real64)/4
  end function exact_residual

end module heat_solution

module halo_plane
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use heat_solution
  use halo_settings
  use mpi
  implicit none
  private
  public :: find_seat, fill, exchange_halos, advance, residual_right, right_after

  ! A message's tag is the direction in which it travels.
  integer, parameter :: to_west = 1, to_east = 2, to_south = 3, to_north = 4

  ! This rank's cell of the grid of ranks, and the world ranks beside it.
  type, public :: seat_type
    integer :: dims(2) = 0
    integer :: x = 0, y = 0
    integer :: west, east, south, north
    integer :: width = 0, height = 0  ! cells of all ranks
  end type seat_type

contains

  subroutine find_seat(rank, ranks, settings, seat)
    integer, intent(in) :: rank, ranks
    type(settings_type), intent(in) :: settings
    type(seat_type), intent(out) :: seat
    integer :: rank_at(0:ranks - 1), position, last, other, swapped, ierror
    integer(int64) :: state
    call MPI_Dims_create(ranks, 2, seat%dims, ierror)
    rank_at = [(position, position=0, ranks - 1)]
    if (settings%order == shuffled) then
      state = settings%seed
      do last = ranks - 1, 1, -1
        state = mod(state*16807, 2147483647_int64)
        other = int(mod(state, last + 1_int64))
        swapped = rank_at(last)
        rank_at(last) = rank_at(other)
        rank_at(other) = swapped
      end do
    end if
    position = findloc(rank_at, rank, dim=1) - 1
    seat%x = position/seat%dims(2)
    seat%y = mod(position, seat%dims(2))
    seat%west = beside(-1, 0)
    seat%east = beside(1, 0)
    seat%south = beside(0, -1)
    seat%north = beside(0, 1)
    seat%width = seat%dims(1)*settings%size
    seat%height = seat%dims(2)*settings%size

  contains

    integer function beside(dx, dy)
      integer, intent(in) :: dx, dy
      beside = MPI_PROC_NULL
      if (seat%x + dx < 0 .or. seat%x + dx >= seat%dims(1)) return
      if (seat%y + dy < 0 .or. seat%y + dy >= seat%dims(2)) return
      beside = rank_at((seat%x + dx)*seat%dims(2) + seat%y + dy)
    end function beside

  end subroutine find_seat

  ! Cells are (j, i, field). What the exchange is to fill starts as not-a-number.
  subroutine fill(settings, seat, cells)
    use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
    type(settings_type), intent(in) :: settings
    type(seat_type), intent(in) :: seat
    real(real64), intent(out) :: cells(0:, 0:, 0:)
    integer :: n, f, i, j
    n = settings%size
    do f = 0, settings%fields - 1
      do i = 0, n + 1
        do j = 0, n + 1
          cells(j, i, f) = exact(seat%width, seat%height, f, seat%x*n + i, seat%y*n + j, 0)
        end do
      end do
    end do
    if (seat%west /= MPI_PROC_NULL) cells(:, 0, :) = ieee_value(1.0_real64, ieee_quiet_nan)
    if (seat%east /= MPI_PROC_NULL) cells(:, n + 1, :) = ieee_value(1.0_real64, ieee_quiet_nan)
    if (seat%south /= MPI_PROC_NULL) cells(0, :, :) = ieee_value(1.0_real64, ieee_quiet_nan)
    if (seat%north /= MPI_PROC_NULL) cells(n + 1, :, :) = ieee_value(1.0_real64, ieee_quiet_nan)
  end subroutine fill

  subroutine exchange_halos(n, fields, seat, cells)
    integer, intent(in) :: n, fields
    type(seat_type), intent(in) :: seat
    real(real64), intent(inout) :: cells(0:, 0:, 0:)
    real(real64), asynchronous, dimension(n, fields) :: out_west, out_east, in_west, in_east
    integer :: requests(4), ierror
    out_west = cells(1:n, 1, :)
    out_east = cells(1:n, n, :)
    call MPI_Irecv(in_west, n*fields, MPI_DOUBLE_PRECISION, seat%west, to_east, MPI_COMM_WORLD, &
                   requests(1), ierror)
    call MPI_Irecv(in_east, n*fields, MPI_DOUBLE_PRECISION, seat%east, to_west, MPI_COMM_WORLD, &
                   requests(2), ierror)
    call MPI_Isend(out_west, n*fields, MPI_DOUBLE_PRECISION, seat%west, to_west, MPI_COMM_WORLD, &
                   requests(3), ierror)
    call MPI_Isend(out_east, n*fields, MPI_DOUBLE_PRECISION, seat%east, to_east, MPI_COMM_WORLD, &
                   requests(4), ierror)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
    if (seat%west /= MPI_PROC_NULL) cells(1:n, 0, :) = in_west
    if (seat%east /= MPI_PROC_NULL) cells(1:n, n + 1, :) = in_east
    call shift_rows(seat%south, to_south, 1, seat%north, n + 1)
    call shift_rows(seat%north, to_north, n, seat%south, 0)

  contains

    ! Sends row `own` towards `to` and receives row `frame` from the other side.
    subroutine shift_rows(to, tag, own, from, frame)
      integer, intent(in) :: to, tag, own, from, frame
      real(real64), dimension(n, fields) :: outgoing, incoming
      outgoing = cells(own, 1:n, :)
      call MPI_Sendrecv(outgoing, n*fields, MPI_DOUBLE_PRECISION, to, tag, incoming, n*fields, &
                        MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      if (from /= MPI_PROC_NULL) cells(frame, 1:n, :) = incoming
    end subroutine shift_rows

  end subroutine exchange_halos

  ! One step from now to next; change is the sum of the squared changes of this rank's cells.
  subroutine advance(n, fields, now, next, change)
    integer, intent(in) :: n, fields
    real(real64), intent(in) :: now(0:n + 1, 0:n + 1, 0:fields - 1)
    real(real64), intent(inout) :: next(0:n + 1, 0:n + 1, 0:fields - 1)
    real(real64), intent(out) :: change
    real(real64) :: around, difference
    integer :: f, i, j
    change = 0
    do f = 0, fields - 1
      do i = 1, n
        do j = 1, n
          around = now(j, i - 1, f) + now(j, i + 1, f) + now(j - 1, i, f) + now(j + 1, i, f)
          difference = diffusion*(around - 4*now(j, i, f))
          next(j, i, f) = now(j, i, f) + difference
          change = change + difference**2
        end do
      end do
    end do
  end subroutine advance

  logical function residual_right(rank, settings, seat, change, step)
    integer, intent(in) :: rank, step
    type(settings_type), intent(in) :: settings
    type(seat_type), intent(in) :: seat
    real(real64), intent(in) :: change
    real(real64) :: found, expected, rounding, allowed
    integer :: ierror
    call MPI_Allreduce(change, found, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    expected = exact_residual(seat%width, seat%height, settings%fields, step)
    rounding = 16*epsilon(expected)*(settings%fields + 8)
    allowed = 1e-6_real64*expected &
              + settings%fields*real(seat%width, real64)*seat%height*rounding**2
    residual_right = abs(found - expected) <= allowed
    if (.not. residual_right) &
      write (error_unit, '(2a,i0,a,i0,2(a,es24.16))') program_name, ': rank ', rank, &
        ': residual of iteration ', step + 1, ': found ', found, ', expected ', expected
  end function residual_right

  ! Compares every cell with the exact solution; names the first that is off.
  logical function right_after(rank, settings, seat, cells, steps)
    integer, intent(in) :: rank, steps
    type(settings_type), intent(in) :: settings
    type(seat_type), intent(in) :: seat
    real(real64), intent(in) :: cells(0:, 0:, 0:)
    real(real64) :: expected, tolerance
    integer :: n, f, i, j
    n = settings%size
    tolerance = 8*epsilon(expected)*(settings%fields + 8)*(steps + 10)
    right_after = .false.
    do f = 0, settings%fields - 1
      do i = 1, n
        do j = 1, n
          expected = exact(seat%width, seat%height, f, seat%x*n + i, seat%y*n + j, steps)
          if (abs(cells(j, i, f) - expected) <= tolerance) cycle
          write (error_unit, '(2a,3(i0,a),i0,a,i0,2(a,es24.16))') program_name, ': rank ', rank, &
            ': field ', f, ', cell (', seat%x*n + i, ', ', seat%y*n + j, ') after ', steps, &
            ' iterations: found ', cells(j, i, f), ', expected ', expected
          return
        end do
      end do
    end do
    right_after = .true.
  end function right_after

end module halo_plane

program halo_exchange_fortran
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  use, intrinsic :: iso_fortran_env, only: output_unit, real64
  use halo_plane
  use halo_settings
  use mpi
  implicit none

  integer, parameter :: line_bytes = 4096  ! kPlacementLineBytes of placement.h

  interface
    integer(c_int) function placement_line(rank, line) bind(C, name='programs_placement_line')
      import :: c_char, c_int
      integer(c_int), value :: rank
      character(kind=c_char), intent(out) :: line(*)
    end function placement_line

    integer(c_int) function write_lines(path, lines, count) bind(C, name='programs_write_placement')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*), lines(*)
      integer(c_int), value :: count
    end function write_lines

    integer(c_int) function rest(microseconds) bind(C, name='usleep')
      import :: c_int
      integer(c_int), value :: microseconds
    end function rest

    subroutine exit_with(code) bind(C, name='exit')
      import :: c_int
      integer(c_int), value :: code
    end subroutine exit_with
  end interface

  type(settings_type) :: settings
  integer :: rank, ranks, outcome, ierror
  logical :: right

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call read_settings(rank, settings, outcome)
  flush (output_unit)
  right = .true.
  if (outcome == outcome_run) then
    call run(right)
    if (settings%places) call write_placement(right)
  end if
  call MPI_Finalize(ierror)
  if (outcome == outcome_bad) call exit_with(2_c_int)
  if (.not. right) call exit_with(1_c_int)

contains

  subroutine run(right)
    logical, intent(inout) :: right
    type(seat_type) :: seat
    real(real64), allocatable :: now(:, :, :), next(:, :, :), swapped(:, :, :)
    real(real64) :: start, change
    integer :: step, n, wrong, wrong_ranks
    character(len=16) :: seconds
    n = settings%size
    call find_seat(rank, ranks, settings, seat)
    allocate (now(0:n + 1, 0:n + 1, 0:settings%fields - 1))
    call fill(settings, seat, now)
    next = now
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    start = MPI_Wtime()
    do step = 0, settings%iterations - 1
      call exchange_halos(n, settings%fields, seat, now)
      if (settings%rest_ms > 0) ierror = rest(1000*settings%rest_ms)
      call advance(n, settings%fields, now, next, change)
      call move_alloc(now, swapped)
      call move_alloc(next, now)
      call move_alloc(swapped, next)
      if (mod(step + 1, settings%residual_every) == 0) &
        right = residual_right(rank, settings, seat, change, step) .and. right
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    write (seconds, '(f16.6)') MPI_Wtime() - start
    if (rank == 0) print '(2a)', 'time_s ', trim(adjustl(seconds))
    flush (output_unit)
    right = right_after(rank, settings, seat, now, settings%iterations) .and. right
    wrong = merge(0, 1, right)
    call MPI_Allreduce(wrong, wrong_ranks, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    right = wrong_ranks == 0
  end subroutine run

  subroutine write_placement(right)
    logical, intent(inout) :: right
    character(kind=c_char) :: line(line_bytes)
    character(kind=c_char), allocatable :: lines(:)
    integer(c_int) :: error
    error = placement_line(rank, line)
    allocate (lines(merge(line_bytes*ranks, 1, rank == 0)))
    call MPI_Gather(line, line_bytes, MPI_CHARACTER, lines, line_bytes, MPI_CHARACTER, 0, &
                    MPI_COMM_WORLD, ierror)
    if (rank /= 0) return
    error = write_lines(to_c(settings%placement), lines, ranks)
    right = error == 0 .and. right
  end subroutine write_placement

  pure function to_c(text) result(characters)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: characters(len(text) + 1)
    integer :: i
    do i = 1, len(text)
      characters(i) = text(i:i)
    end do
    characters(len(text) + 1) = c_null_char
  end function to_c

end program halo_exchange_fortran
