#include "flavour.h"
! One-sided calls and neighbourhood collectives.
module other_traffic
  use frame
  implicit none
  private
  public :: call_one_sided, talk_to_neighbours

contains

  subroutine put(bytes)
    integer, intent(in) :: bytes
    call known_put(right, 1_c_long, int(bytes, c_long_long))
  end subroutine

  subroutine fetched(bytes)
    integer, intent(in) :: bytes
    call known_fetched(right, 1_c_long, int(bytes, c_long_long))
  end subroutine

  ! The window holds eight numbers: 10 x rank + 1 to 8.
  subroutine call_one_sided()
    integer, volatile, asynchronous :: window(8)
    integer :: first(2), seen(2), step, before, swapped, i, ierror
    integer(kind=MPI_ADDRESS_KIND), parameter :: none = 0
    WIN_T :: win
    REQUEST_T :: request
    window = [(10*rank + i, i=1, 8)]
    call MPI_Win_create(window, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    first = [rank, -rank]
    seen = -1
    step = 1000
    call MPI_Put(first, 2, MPI_INTEGER, right, none, 2, MPI_INTEGER, win, ierror)
    call MPI_Get(seen, 2, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win, ierror)
    call MPI_Accumulate(step, 1, MPI_INTEGER, right, 4_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, &
                        win, ierror)
    call MPI_Put(first, 2, MPI_INTEGER, MPI_PROC_NULL, none, 2, MPI_INTEGER, win, ierror)
    call MPI_Win_fence(0, win, ierror)
    call put(8)
    call fetched(8)
    call put(4)
    call expect(all(seen == [10*right + 3, 10*right + 4]), 'get')
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win, ierror)
    call MPI_Fetch_and_op(step, before, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, MPI_SUM, win, ierror)
    call MPI_Compare_and_swap(step, 10*right + 7, swapped, MPI_INTEGER, right, &
                              6_MPI_ADDRESS_KIND, win, ierror)
    call MPI_Rput(step, 1, MPI_INTEGER, right, 7_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, request, &
                  ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call MPI_Win_unlock(right, win, ierror)
    do i = 1, 2
      call put(4)
      call fetched(4)
    end do
    call put(4)
    call expect(before == 10*right + 6 .and. swapped == 10*right + 7, 'what was there before')
    call meet()
    call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win, ierror)
    call expect(all(window == [left, -left, 10*rank + 3, 10*rank + 4, 10*rank + 1005, &
                               10*rank + 1006, 1000, 1000]), 'the window')
    call MPI_Win_unlock(rank, win, ierror)
    call MPI_Win_free(win, ierror)
  end subroutine

  subroutine neighbour(other, bytes)
    integer, intent(in) :: other, bytes
    call known_sent_to_neighbour(other, 1_c_long, int(bytes, c_long_long))
  end subroutine

  subroutine talk_to_neighbours()
    COMM_T :: line, graph
    REQUEST_T :: request
    integer :: in(2), out(2), neighbours, ierror
    neighbours = merge(1, 2, rank == 0 .or. rank == ranks - 1)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.false.], .false., line, ierror)
    in = -1
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, in, 1, MPI_INTEGER, line, ierror)
    call tell_line(4)
    call collective('neighbor_allgather', 4*neighbours, listed(0, 1))
    call expect(in(1) == rank - 1 .and. in(2) == merge(-1, rank + 1, rank == ranks - 1), &
                'neighbor_allgather')
    out = [100*rank, 100*rank + 1]
    in = -1
    call MPI_Ineighbor_alltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, line, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call tell_line(4)
    call collective('ineighbor_alltoall', 4*neighbours, listed(0, 1))
    call expect(rank == 0 .or. in(1) == 100*(rank - 1) + 1, 'ineighbor_alltoall from below')
    call expect(rank == ranks - 1 .or. in(2) == 100*(rank + 1), 'ineighbor_alltoall from above')
    call MPI_Comm_free(line, ierror)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierror)
    out = rank
    call MPI_Neighbor_alltoallv(out, [2], [0], MPI_INTEGER, in, [2], [0], MPI_INTEGER, graph, ierror)
    call neighbour(right, 8)
    call collective('neighbor_alltoallv', 8, listed(0, 1))
    call expect(all(in == left), 'neighbor_alltoallv')
    call MPI_Comm_free(graph, ierror)
  end subroutine

  ! To both sides of a line without end around.
  subroutine tell_line(bytes)
    integer, intent(in) :: bytes
    if (rank > 0) call neighbour(rank - 1, bytes)
    if (rank < ranks - 1) call neighbour(rank + 1, bytes)
  end subroutine

end module other_traffic
