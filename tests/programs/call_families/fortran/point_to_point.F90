#include "flavour.h"
! Point-to-point messages around the ring of ranks: in all modes, persistent, probed, completed in
! every way, from MPI_BOTTOM, to nobody and from anybody.
module point_to_point
  use frame
  implicit none
  private
  public :: send_in_all_modes, send_persistently, complete_in_all_ways, probe, send_from_bottom

  integer, parameter :: bsend_room = 100000

contains

  subroutine send_in_all_modes()
    integer :: mode, count, ierror, detached
    integer :: out(300), in(300)
    integer, allocatable :: attached(:)
    DETACHED_T :: detached_buffer
    REQUEST_T :: receive, send
    allocate (attached(bsend_room))
    call MPI_Buffer_attach(attached, 4*bsend_room, ierror)
    do mode = 1, 8
      count = 30*mode
      out = rank*1000 + mode
      in = -1
      if (mod(mode, 2) == 0) then
        call MPI_Irecv(in, count, MPI_INTEGER, left, mode, MPI_COMM_WORLD, receive, ierror)
      else
        call MPI_Irecv(in, count, MPI_INTEGER, MPI_ANY_SOURCE, mode, MPI_COMM_WORLD, receive, ierror)
      end if
      call meet()  ! what ready sends demand
      call send_once(mode, out, count, right, send)
      call send_once(mode, out, count, MPI_PROC_NULL, send)
      call sent(right, 4*count)
      call MPI_Wait(receive, MPI_STATUS_IGNORE, ierror)
      call expect(all(in(:count) == left*1000 + mode), 'a message of one of the modes')
    end do
    call MPI_Buffer_detach(detached_buffer, detached, ierror)
    call MPI_Sendrecv(out, 5, MPI_INTEGER, right, 1, in, 300, MPI_INTEGER, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call sent(right, 20)
    call expect(all(in(:5) == left*1000 + 8), 'sendrecv')
    call MPI_Sendrecv_replace(out, 6, MPI_INTEGER, left, 1, right, 1, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, ierror)
    call sent(left, 24)
    call expect(all(out(:6) == right*1000 + 8), 'sendrecv_replace')
  end subroutine

  ! Nonblocking sends are waited for at once.
  subroutine send_once(mode, out, count, receiver, request)
    integer, intent(in) :: mode, count, receiver
    integer, intent(in) :: out(:)
    REQUEST_T, intent(inout) :: request
    integer :: ierror
    select case (mode)
    case (1)
      call MPI_Send(out, count, MPI_INTEGER, receiver, mode, MPI_COMM_WORLD, ierror)
    case (2)
      call MPI_Ssend(out, count, MPI_INTEGER, receiver, mode, MPI_COMM_WORLD, ierror)
    case (3)
      call MPI_Bsend(out, count, MPI_INTEGER, receiver, mode, MPI_COMM_WORLD, ierror)
    case (4)
      call MPI_Rsend(out, count, MPI_INTEGER, receiver, mode, MPI_COMM_WORLD, ierror)
    case (5)
      call MPI_Isend(out, count, MPI_INTEGER, receiver, mode, MPI_COMM_WORLD, request, ierror)
    case (6)
      call MPI_Issend(out, count, MPI_INTEGER, receiver, mode, MPI_COMM_WORLD, request, ierror)
    case (7)
      call MPI_Ibsend(out, count, MPI_INTEGER, receiver, mode, MPI_COMM_WORLD, request, ierror)
    case default
      call MPI_Irsend(out, count, MPI_INTEGER, receiver, mode, MPI_COMM_WORLD, request, ierror)
    end select
    if (mode >= 5) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  end subroutine

  subroutine send_persistently()
    integer :: out(10), in(10, 3), round, i, ierror
    REQUEST_T :: requests(6)
    STATUSES(6) :: statuses
    call MPI_Send_init(out, 10, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Ssend_init(out, 9, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Send_init(out, 8, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Recv_init(in(1, 1), 10, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(4), ierror)
    call MPI_Recv_init(in(1, 2), 9, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(5), ierror)
    call MPI_Recv_init(in(1, 3), 8, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, requests(6), &
                       ierror)
    do round = 1, 4
      out = rank*100 + round
      if (round < 3) then
        call MPI_Startall(6, requests, ierror)
        call MPI_Waitall(6, requests, MPI_STATUSES_IGNORE, ierror)
      else
        do i = 6, 1, -1
          call MPI_Start(requests(i), ierror)
        end do
        call MPI_Waitall(6, requests, statuses, ierror)
      end if
      call sent(right, 40)
      call sent(right, 36)
      call expect(all(in(:9, :2) == left*100 + round), 'a persistent message')
    end do
    do i = 1, 6
      call MPI_Request_free(requests(i), ierror)
    end do
  end subroutine

  ! Everybody sends to everybody, itself included.
  subroutine complete_in_all_ways()
    integer :: way, other, done, index, some, ierror, out
    integer :: in(0:ranks - 1), indices(2*ranks)
    logical :: flag
    REQUEST_T :: requests(2*ranks)
    STATUSES(2*ranks) :: statuses
    do way = 1, 5
      out = rank + 100*way
      do other = 0, ranks - 1
        call MPI_Irecv(in(other), 1, MPI_INTEGER, other, way, MPI_COMM_WORLD, requests(other + 1), &
                       ierror)
        call MPI_Isend(out, 1, MPI_INTEGER, other, way, MPI_COMM_WORLD, &
                       requests(ranks + other + 1), ierror)
        call sent(other, 4)
      end do
      done = 0
      do while (done < 2*ranks)
        select case (way)
        case (1)
          call MPI_Waitany(2*ranks, requests, index, MPI_STATUS_IGNORE, ierror)
          call expect(index >= LOWEST_INDEX .and. index <= 2*ranks, 'the index of a request')
          done = done + 1
        case (2)
          call MPI_Waitsome(2*ranks, requests, some, indices, MPI_STATUSES_IGNORE, ierror)
          done = done + some
        case (3)
          call MPI_Testsome(2*ranks, requests, some, indices, statuses, ierror)
          done = done + some
        case (4)
          call MPI_Testany(2*ranks, requests, index, flag, MPI_STATUS_IGNORE, ierror)
          if (flag .and. index /= MPI_UNDEFINED) done = done + 1
        case default
          call MPI_Test(requests(done + 1), flag, MPI_STATUS_IGNORE, ierror)
          if (flag) done = done + 1
        end select
      end do
      call expect(all(in == [(other + 100*way, other=0, ranks - 1)]), 'what each sent')
    end do
  end subroutine

  subroutine probe()
    integer :: way, in, ierror, found
    logical :: flag
    REQUEST_T :: request, receive
    MESSAGE_T :: message
    ONE_STATUS :: status
    do way = 1, 4
      call MPI_Isend(rank, 1, MPI_INTEGER, right, way, MPI_COMM_WORLD, request, ierror)
      call sent(right, 4)
      flag = .false.
      select case (way)
      case (1)
        call MPI_Probe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, status, ierror)
        call MPI_Recv(in, 1, MPI_INTEGER, left, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      case (2)
        do while (.not. flag)
          call MPI_Iprobe(left, way, MPI_COMM_WORLD, flag, status, ierror)
        end do
        call MPI_Recv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, way, MPI_COMM_WORLD, status, ierror)
      case (3)
        call MPI_Mprobe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, message, status, ierror)
        call MPI_Mrecv(in, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE, ierror)
      case default
        do while (.not. flag)
          call MPI_Improbe(left, way, MPI_COMM_WORLD, flag, message, status, ierror)
        end do
        call MPI_Imrecv(in, 1, MPI_INTEGER, message, receive, ierror)
        call MPI_Wait(receive, status, ierror)
      end select
      call MPI_Get_count(status, MPI_INTEGER, found, ierror)
      call expect(in == left .and. SOURCE_OF(status) == left .and. TAG_OF(status) == way &
                  .and. found == 1, 'a message that was probed')
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    end do
  end subroutine

  ! An integer and three reals, wherever they lie. They are volatile, as MPI changes them behind the
  ! compiler's back.
  subroutine send_from_bottom()
    integer, volatile :: number, number_in
    double precision, volatile :: fractions(3), fractions_in(3)
    DATATYPE_T :: out, in
    integer :: ierror
    number = rank
    fractions = rank*0.25d0
    call make_type(number, fractions, out)
    call make_type(number_in, fractions_in, in)
    call MPI_Sendrecv(MPI_BOTTOM, 1, out, right, 1, MPI_BOTTOM, 1, in, left, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierror)
    call sent(right, 28)
    call expect(number_in == left .and. all(fractions_in == left*0.25d0), 'from MPI_BOTTOM')
    call MPI_Bcast(MPI_BOTTOM, 1, out, 0, MPI_COMM_WORLD, ierror)
    call collective('bcast', merge(28, 0, rank == 0))
    call expect(number == 0 .and. all(fractions == 0), 'broadcast from MPI_BOTTOM')
    call MPI_Type_free(out, ierror)
    call MPI_Type_free(in, ierror)
  end subroutine

  subroutine make_type(number, fractions, made)
    integer, volatile :: number
    double precision, volatile :: fractions(3)
    DATATYPE_T, intent(out) :: made
    integer(kind=MPI_ADDRESS_KIND) :: places(2)
    DATATYPE_T :: members(2)
    integer :: ierror
    call MPI_Get_address(number, places(1), ierror)
    call MPI_Get_address(fractions, places(2), ierror)
    members(1) = MPI_INTEGER
    members(2) = MPI_DOUBLE_PRECISION
    call MPI_Type_create_struct(2, [1, 3], places, members, made, ierror)
    call MPI_Type_commit(made, ierror)
  end subroutine

end module point_to_point
