#include "flavour.h"
! Collectives of the world, in place where MPI allows it, and of communicators made in every way.
module collectives
  use frame
  implicit none
  private
  public :: call_in_place, call_with_parts, call_nonblocking, use_communicators

contains

  integer function sum_of_ranks()
    sum_of_ranks = ranks*(ranks - 1)/2
  end function

  subroutine call_in_place()
    integer :: all_of(0:ranks - 1), pair(2), counts(ranks), i, ierror
    pair = [rank, 1]
    call MPI_Allreduce(MPI_IN_PLACE, pair, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call collective('allreduce', 8)
    call expect(all(pair == [sum_of_ranks(), ranks]), 'allreduce in place')
    pair = [rank, 1]
    if (rank == 1) then
      call MPI_Reduce(MPI_IN_PLACE, pair, 2, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, ierror)
      call expect(all(pair == [sum_of_ranks(), ranks]), 'reduce in place')
    else
      call MPI_Reduce(pair, pair, 2, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, ierror)
    end if
    call collective('reduce', 8)
    all_of = -1
    all_of(rank) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_of, 1, MPI_INTEGER, &
                       MPI_COMM_WORLD, ierror)
    call collective('allgather', 4)
    call expect(all(all_of == [(i, i=0, ranks - 1)]), 'allgather in place')
    all_of = [(100*rank + i, i=0, ranks - 1)]
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_of, 1, MPI_INTEGER, MPI_COMM_WORLD, &
                      ierror)
    call collective('alltoall', 4*ranks)
    call expect(all(all_of == [(100*i + rank, i=0, ranks - 1)]), 'alltoall in place')
    pair = rank
    call MPI_Scan(MPI_IN_PLACE, pair, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call collective('scan', 8)
    call expect(all(pair == rank*(rank + 1)/2), 'scan in place')
    all_of = rank
    counts = 1
    call MPI_Reduce_scatter(MPI_IN_PLACE, all_of, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
                            ierror)
    call collective('reduce_scatter', 4*ranks)
    call expect(all_of(0) == sum_of_ranks(), 'reduce_scatter in place')
    call gather_and_scatter_in_place()
  end subroutine

  ! At the last rank, whose own part is in its place already.
  subroutine gather_and_scatter_in_place()
    double precision :: all_of(0:ranks - 1), own
    integer :: root, i, ierror
    root = ranks - 1
    own = rank*0.5d0
    all_of = own
    if (rank == root) then
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_of, 1, MPI_DOUBLE_PRECISION, root, &
                      MPI_COMM_WORLD, ierror)
      call expect(all(all_of == [(i*0.5d0, i=0, ranks - 1)]), 'gather in place')
      call MPI_Scatter(all_of, 1, MPI_DOUBLE_PRECISION, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, &
                       MPI_COMM_WORLD, ierror)
    else
      call MPI_Gather(own, 1, MPI_DOUBLE_PRECISION, all_of, 1, MPI_DOUBLE_PRECISION, root, &
                      MPI_COMM_WORLD, ierror)
      own = -1
      call MPI_Scatter(all_of, 1, MPI_DOUBLE_PRECISION, own, 1, MPI_DOUBLE_PRECISION, root, &
                       MPI_COMM_WORLD, ierror)
      call expect(own == rank*0.5d0, 'scatter in place')
    end if
    call collective('gather', 8)
    call collective('scatter', merge(8*ranks, 0, rank == root))
  end subroutine

  ! Rank i has i + 1 numbers.
  subroutine call_with_parts()
    integer :: counts(ranks), places(ranks), byte_places(ranks), total, i, ierror
    integer, allocatable :: own(:), all_of(:), expected(:)
    DATATYPE_T :: types(ranks)
    counts = [(i, i=1, ranks)]
    places = [(i*(i - 1)/2, i=1, ranks)]
    total = sum(counts)
    allocate (own(rank + 1), all_of(total), expected(total))
    do i = 1, ranks
      expected(places(i) + 1:places(i) + counts(i)) = i
      types(i) = MPI_INTEGER
    end do
    own = rank + 1
    all_of = -1
    call MPI_Allgatherv(own, rank + 1, MPI_INTEGER, all_of, counts, places, MPI_INTEGER, &
                        MPI_COMM_WORLD, ierror)
    call collective('allgatherv', 4*(rank + 1))
    call expect(all(all_of == expected), 'allgatherv')
    call MPI_Gatherv(own, rank + 1, MPI_INTEGER, all_of, counts, places, MPI_INTEGER, 0, &
                     MPI_COMM_WORLD, ierror)
    call collective('gatherv', 4*(rank + 1))
    own = -1
    call MPI_Scatterv(all_of, counts, places, MPI_INTEGER, own, rank + 1, MPI_INTEGER, 0, &
                      MPI_COMM_WORLD, ierror)
    call collective('scatterv', merge(4*total, 0, rank == 0))
    call expect(all(own == rank + 1), 'scatterv')
    deallocate (own)
    allocate (own(ranks))
    ! All send one number to each rank, and take it to where a longer list would be.
    own = rank + 1
    all_of = -1
    call MPI_Alltoallv(own, [(1, i=1, ranks)], [(i - 1, i=1, ranks)], MPI_INTEGER, all_of, &
                       [(1, i=1, ranks)], places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call collective('alltoallv', 4*ranks)
    call expect(all([(all_of(places(i) + 1), i=1, ranks)] == counts), 'alltoallv')
    all_of = -1
    byte_places = 4*places
    call MPI_Alltoallw(own, [(1, i=1, ranks)], [(4*i - 4, i=1, ranks)], types, all_of, &
                       [(1, i=1, ranks)], byte_places, types, MPI_COMM_WORLD, ierror)
    call collective('alltoallw', 4*ranks)
    call expect(all([(all_of(places(i) + 1), i=1, ranks)] == counts), 'alltoallw')
  end subroutine

  subroutine call_nonblocking()
    integer :: sums(3), word, ierror
    REQUEST_T :: requests(3)
    sums = rank
    word = merge(7, -1, rank == 0)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Iallreduce(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), &
                        ierror)
    call MPI_Ibcast(word, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(3), ierror)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierror)
    call collective('ibarrier', 0)
    call collective('iallreduce', 12)
    call collective('ibcast', merge(4, 0, rank == 0))
    call expect(all(sums == sum_of_ranks()) .and. word == 7, 'nonblocking collectives')
  end subroutine

  ! One message from the first member to the second, if there are two, and a sum over the members.
  subroutine use(comm, first, second, members)
    COMM_T, intent(in) :: comm
    integer, intent(in) :: first, second
    character(len=*), intent(in) :: members
    integer :: own, size_of, ierror, total, in
    call MPI_Comm_rank(comm, own, ierror)
    call MPI_Comm_size(comm, size_of, ierror)
    if (size_of > 1 .and. own == 0) then
      call MPI_Send(first, 1, MPI_INTEGER, 1, 1, comm, ierror)
      call sent(second, 4)
      call expect(rank == first, 'the first member')
    else if (own == 1) then
      call MPI_Recv(in, 1, MPI_INTEGER, 0, 1, comm, MPI_STATUS_IGNORE, ierror)
      call expect(in == first, 'a message from the first member')
    end if
    call MPI_Allreduce(1, total, 1, MPI_INTEGER, MPI_SUM, comm, ierror)
    call collective('allreduce', 4, members)
    call expect(total == size_of, 'a sum over the members')
  end subroutine

  subroutine use_communicators()
    COMM_T :: comm, half, inter
    GROUP_T :: world, others
    REQUEST_T :: request
    integer :: ierror, parity, last_even, last_odd
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    call use(comm, 0, 1, listed(0, 1))
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_idup(MPI_COMM_WORLD, comm, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call use(comm, 0, 1, listed(0, 1))
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierror)
    call MPI_Group_excl(world, 1, [0], others, ierror)
    call MPI_Comm_create(MPI_COMM_WORLD, others, comm, ierror)
    if (rank > 0) then
      call use(comm, 1, 2, listed(1, 1))
      call MPI_Comm_free(comm, ierror)
    end if
    call MPI_Group_free(others, ierror)
    call MPI_Group_free(world, ierror)
    parity = mod(rank, 2)
    last_even = (ranks - 1)/2*2
    last_odd = (ranks - 2)/2*2 + 1
    call MPI_Comm_split(MPI_COMM_WORLD, parity, -rank, half, ierror)
    call use(half, merge(last_even, last_odd, parity == 0), &
             merge(last_even, last_odd, parity == 0) - 2, listed(parity, 2))
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, merge(last_odd, last_even, parity == 0), 1, &
                              inter, ierror)
    call MPI_Barrier(inter, ierror)
    call collective('barrier', 0, listed(0, 2)//'|'//listed(1, 2))
    call MPI_Intercomm_merge(inter, parity == 1, comm, ierror)
    call use(comm, last_even, last_even - 2, listed(0, 1))
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_disconnect(inter, ierror)
    call MPI_Comm_free(half, ierror)
  end subroutine

end module collectives
