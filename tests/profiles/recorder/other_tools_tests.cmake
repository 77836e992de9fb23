# Other tools in MPI's profiling interface, for CMakeLists.txt beside it: layers of our own, one that has all functions and one
# that keeps a rank, as libraries of each MPI; a program that is run with them preloaded, and linked with each.
foreach(library IN LISTS PROGRAMS_MPIS)
  foreach(layer IN ITEMS counting_layer.cpp keeping_layer.c)
    string(REGEX REPLACE "[.].*" "" name ${layer})
    add_library(${library}_${name} SHARED other_tools/${layer})
    target_include_directories(${library}_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${library}_${name} PRIVATE programs_${library}_cxx ${CMAKE_DL_LIBS})
    # MPI deprecates and removes some that are still wrapped.
    target_compile_options(${library}_${name} PRIVATE -Wno-deprecated-declarations)
    set_target_properties(${library}_${name} PROPERTIES OUTPUT_NAME ${name}
      LIBRARY_OUTPUT_DIRECTORY ${PROGRAMS_DIRECTORY_${library}})
  endforeach()
endforeach()
foreach(tool IN ITEMS none counting keeping)
  set(suffix_none "")
  set(suffix_counting _counted)
  set(suffix_keeping _kept)
  programs_add(targets world_of_ranks${suffix_${tool}} cxx other_tools/world_of_ranks.c)
  foreach(target IN LISTS targets)
    set(library openmpi)
    if(target MATCHES "^mpich_")
      set(library mpich)
    endif()
    if(NOT tool STREQUAL none) # in front of MPI
      add_dependencies(${target} ${library}_${tool}_layer)
      target_link_options(${target} PRIVATE
        LINKER:--push-state,--no-as-needed,$<TARGET_FILE:${library}_${tool}_layer>,--pop-state
        LINKER:-rpath,${PROGRAMS_DIRECTORY_${library}})
    endif()
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE programs_known_traffic)
  endforeach()
endforeach()

function(add_other_tools_test library name)
  add_recorder_test(${library} other_tools_${name}_with_${library} other_tools_test.sh ${ARGN})
  set_property(TEST recorder_other_tools_${name}_with_${library} APPEND PROPERTY ENVIRONMENT
    "COUNTING=$<TARGET_FILE:${library}_counting_layer>" "KEEPING=$<TARGET_FILE:${library}_keeping_layer>")
endfunction()
if(NOT sanitizer)
  foreach(library IN LISTS recorded_mpis)
    add_other_tools_test(${library} behind_see_each_call_once tool_behind_sees_each_call_once by_name
      collectives probes_and_requests one_sided neighbourhoods fortran_calls_mpif fortran_calls_f08)
    add_other_tools_test(${library} that_look_behind_themselves_see_each_call_once tool_behind_sees_each_call_once next_pmpi
      probes_and_requests fortran_calls_f08)
    add_other_tools_test(${library} that_call_the_next_tool_see_each_call_once tool_behind_sees_each_call_once next_mpi
      collectives threads)
    add_other_tools_test(${library} before_see_each_call_once tool_before_sees_each_call_once probes_and_requests fortran_calls_f08)
    foreach(case IN ITEMS linked_tool_sees_each_call_once two_tools_see_what_they_see_without_huddle
        tool_that_keeps_a_rank_keeps_it kept_ranks_cost_the_trace kept_rank_may_end_as_it_likes)
      add_other_tools_test(${library} ${case} ${case})
    endforeach()
    # As without the tool, in between.
    foreach(family IN ITEMS probes_and_requests collectives)
      add_trace_test(${library} trace_of_${family}_under_another_tool_agrees_with_${library} family_agrees
        ${PROGRAMS_DIRECTORY_${library}}/${family} 4)
      set_property(TEST recorder_trace_of_${family}_under_another_tool_agrees_with_${library} APPEND PROPERTY ENVIRONMENT
        "TOOL_BEHIND=$<TARGET_FILE:${library}_counting_layer>")
    endforeach()
  endforeach()
endif()
