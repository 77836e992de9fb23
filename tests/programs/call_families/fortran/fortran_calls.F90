! A Fortran program that calls MPI in every way that matters to a recorder, checks what the calls
! give, and accounts for its traffic. Compiled once for each way of getting at MPI (see flavour.h).
program fortran_calls
  use frame
  use point_to_point
  use collectives
  use other_traffic
  implicit none

  call enter()
  call send_in_all_modes()
  call send_persistently()
  call complete_in_all_ways()
  call probe()
  call send_from_bottom()
  call call_in_place()
  call call_with_parts()
  call call_nonblocking()
  call use_communicators()
  call call_one_sided()
  call talk_to_neighbours()
  call leave()
end program fortran_calls
