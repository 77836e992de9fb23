! The options of halo_exchange_fortran: those of halo_exchange.cpp, read and broadcast alike.

module halo_settings
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use mpi
  implicit none
  private
  public :: read_settings

  character(len=*), parameter, public :: program_name = 'halo_exchange_fortran'
  integer, parameter, public :: natural = 0, shuffled = 1
  integer, parameter, public :: outcome_run = 0, outcome_help = 1, outcome_bad = 2

  type, public :: settings_type
    integer :: size = 64
    integer :: iterations = 2000
    integer :: fields = 4
    integer :: residual_every = 20
    integer :: rest_ms = 0
    integer :: order = shuffled
    integer :: seed = 36499
    logical :: places = .false.
    character(len=:), allocatable :: placement  ! known on rank 0 only
  end type settings_type

contains

  ! Reads the options on rank 0 and gives their values to all ranks; outcome is one of the above.
  subroutine read_settings(rank, settings, outcome)
    integer, intent(in) :: rank
    type(settings_type), intent(inout) :: settings
    integer, intent(out) :: outcome
    integer :: message(9), ierror
    message = outcome_run
    if (rank == 0) then
      call read_arguments(settings, message(1))
      if (message(1) == outcome_help) call print_help()
      message(2:8) = [settings%size, settings%iterations, settings%fields, settings%residual_every, &
                      settings%order, settings%seed, settings%rest_ms]
      message(9) = merge(1, 0, settings%places)
    end if
    call MPI_Bcast(message, size(message), MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    outcome = message(1)
    settings%size = message(2)
    settings%iterations = message(3)
    settings%fields = message(4)
    settings%residual_every = message(5)
    settings%order = message(6)
    settings%seed = message(7)
    settings%rest_ms = message(8)
    settings%places = message(9) /= 0
  end subroutine read_settings

  subroutine read_arguments(settings, outcome)
    type(settings_type), intent(inout) :: settings
    integer, intent(out) :: outcome
    character(len=:), allocatable :: name, value
    integer :: i, equals
    name = ''
    value = ''
    outcome = outcome_run
    i = 1
    do while (i <= command_argument_count() .and. outcome == outcome_run)
      name = argument(i)
      if (name == '--help') then
        outcome = outcome_help
        return
      end if
      equals = index(name, '=')
      if (equals > 0) then
        value = name(equals + 1:)
        name = name(:equals - 1)
      else
        i = i + 1
        value = argument(i)
      end if
      call take(settings, name, value, outcome)
      i = i + 1
    end do
  end subroutine read_arguments

  ! The i-th argument; empty past the last.
  function argument(i) result(text)
    integer, intent(in) :: i
    character(len=:), allocatable :: text
    integer :: length
    length = 0
    if (i <= command_argument_count()) call get_command_argument(i, length=length)
    allocate (character(len=length) :: text)
    if (length > 0) call get_command_argument(i, text)
  end function argument

  subroutine take(settings, name, value, outcome)
    type(settings_type), intent(inout) :: settings
    character(len=*), intent(in) :: name, value
    integer, intent(inout) :: outcome
    select case (name)
    case ('--size')
      call take_number(name, value, 4, 4096, settings%size, outcome)
    case ('--iterations')
      call take_number(name, value, 1, 1000000, settings%iterations, outcome)
    case ('--fields')
      call take_number(name, value, 1, 1024, settings%fields, outcome)
    case ('--residual-every')
      call take_number(name, value, 1, 1000000, settings%residual_every, outcome)
    case ('--rest-ms')
      call take_number(name, value, 0, 100000, settings%rest_ms, outcome)
    case ('--seed')
      call take_number(name, value, 1, 2147483646, settings%seed, outcome)
    case ('--order')
      if (value == 'natural') then
        settings%order = natural
      else if (value == 'shuffled') then
        settings%order = shuffled
      else
        call complain(name//": found '"//value//"'; expected one of natural shuffled", outcome)
      end if
    case ('--placement')
      settings%places = .true.
      settings%placement = value
      if (value == '') call complain(name//': no value; expected a file name or -', outcome)
    case default
      call complain('unknown option '//name, outcome)
    end select
  end subroutine take

  subroutine take_number(name, value, lowest, highest, number, outcome)
    character(len=*), intent(in) :: name, value
    integer, intent(in) :: lowest, highest
    integer, intent(inout) :: number, outcome
    character(len=80) :: expected
    integer(int64) :: found
    integer :: status
    status = verify(value, '0123456789')
    if (value == '' .or. len(value) > 10) status = 1
    found = 0
    if (status == 0) read (value, *) found
    if (status == 0 .and. found >= lowest .and. found <= highest) then
      number = int(found)
    else
      write (expected, '(a,i0,a,i0)') 'an integer from ', lowest, ' to ', highest
      call complain(name//": found '"//value//"'; expected "//trim(expected), outcome)
    end if
  end subroutine take_number

  subroutine complain(complaint, outcome)
    character(len=*), intent(in) :: complaint
    integer, intent(inout) :: outcome
    write (error_unit, '(a)') program_name//': '//complaint//'; see --help'
    outcome = outcome_bad
  end subroutine complain

  subroutine print_help()
    print '(a)', program_name
    print '(a)', 'The Fortran twin of halo_exchange: same options, same messages, same check.'
    print '(/,a)', 'options:'
    print '(a)', '  --size             cells along each side of a rank''s square (4 to 4096; 64)'
    print '(a)', '  --iterations       steps (1 to 1000000; 2000)'
    print '(a)', '  --fields           fields, all in each halo message (1 to 1024; 4)'
    print '(a)', '  --residual-every   steps between two residuals (MPI_Allreduce) (20)'
    print '(a)', '  --rest-ms          milliseconds that each rank sleeps in a step (0)'
    print '(a)', '  --order            how ranks are numbered over the grid: natural or shuffled (shuffled)'
    print '(a)', '  --seed             which shuffled order (1 to 2147483646; 36499)'
    print '(a)', '  --placement        where to write each rank''s node and PUs; - for standard output'
    print '(a)', '  --help             this text'
  end subroutine print_help

end module halo_settings
