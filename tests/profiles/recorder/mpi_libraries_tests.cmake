# Other MPI libraries than Open MPI and MPICH by their own names. Uses add_recorder_test() and recorded_mpis.
# One recorder for programs of the standard ABI, whichever MPI runs them.
if(PROGRAMS_ABIS AND TARGET huddle_recorder_abi)
  foreach(mpi IN ITEMS mpich openmpi)
    string(TOUPPER ${mpi} upper)
    if(NOT HUDDLE_MPI_ABI_${upper})
      continue()
    endif()
    if(TARGET abi_mpi_rooms)
      add_recorder_test(abi-${mpi} rooms_work_with_the_abi_of_${mpi} mpi_rooms_test.sh 4)
    endif()
    foreach(case IN ITEMS message_families_equal_truth corner_cases_equal_truth abort_is_cut_short)
      if(mpi STREQUAL openmpi AND case MATCHES "corner_cases") # 6.0.0rc2 hangs there in one run of four, without Huddle, too
        continue()
      endif()
      add_recorder_test(abi-${mpi} ${case}_with_the_abi_of_${mpi} recorder_test.sh ${case})
    endforeach()
    foreach(family IN ITEMS collectives communicators datatypes neighbourhoods new_messages one_sided probes_and_requests threads
        collectives_large neighbourhoods_large new_messages_large one_sided_large probes_and_requests_large)
      add_recorder_test(abi-${mpi} ${family}_equal_truth_with_the_abi_of_${mpi} call_families_test.sh equals_truth
        ${PROGRAMS_DIRECTORY_abi}/${family} 4)
    endforeach()
  endforeach()
endif()

# Programs whose MPI library has another name than usual, is unknown, or is loaded by the program.
add_library(foreign_mpi SHARED mpi/foreign_mpi.c)
add_executable(foreign_program mpi/foreign_program.c)
target_link_libraries(foreign_program PRIVATE foreign_mpi)
add_executable(past_recorder mpi/past_recorder.c)
target_link_libraries(past_recorder PRIVATE ${CMAKE_DL_LIBS})
function(add_library_test library case)
  add_recorder_test(${library} ${case}_with_${library} mpi_libraries_test.sh ${case})
  set_property(TEST recorder_${case}_with_${library} APPEND PROPERTY ENVIRONMENT
    "FOREIGN=$<TARGET_FILE:foreign_program>" "PAST=$<TARGET_FILE:past_recorder>")
endfunction()
foreach(library IN LISTS recorded_mpis)
  add_library_test(${library} calls_past_the_recorder_cost_one_line)
endforeach()
add_library_test(openmpi unknown_library_is_named)
add_library_test(openmpi python_is_measured)
if("mpich" IN_LIST recorded_mpis)
  add_library_test(mpich mpich_is_known_by_any_name)
endif()
