# Tests of what the recorder sees of OpenMP, and does to its teams, under each MPI. A part of CMakeLists.txt.
if(TARGET openmp_regions AND NOT sanitizer) # libgomp's threads are not instrumented
  foreach(library IN LISTS recorded_mpis)
    set(cases regions_are_counted_exactly short_passes_are_all_counted_and_not_all_timed threads_that_begin_regions_at_once_lose_none
        programs_without_openmp_have_no_regions how_long_threads_of_a_team_work_is_seen periods_of_regions_are_found
        a_recorder_of_another_mpi_changes_nothing a_runtime_in_the_program_gets_a_line regions_of_fortran_are_counted)
    if(clang_has_openmp)
      list(APPEND cases regions_of_llvms_runtime_are_counted_exactly threads_of_llvms_runtime_lose_no_regions
        how_long_threads_of_llvms_runtime_work_is_seen
        both_runtimes_of_a_process_are_seen tools_of_users_come_first regions_of_llvms_runtime_have_one_id_however_they_are_seen
        regions_may_have_any_number_of_arguments programs_that_end_inside_of_a_region_end
        programs_of_gcc_that_use_llvms_runtime_are_counted_once runtimes_that_one_library_has_loaded_are_seen
        teams_that_a_library_begins_where_it_is_loaded_and_in_many_places_are_seen
        a_recorder_of_another_mpi_changes_nothing_for_llvms_runtime)
    endif()
    foreach(case IN LISTS cases)
      add_recorder_test(${library} ${case}_with_${library} openmp_regions_test.sh ${case})
      set_property(TEST recorder_${case}_with_${library} APPEND PROPERTY ENVIRONMENT
        "REGIONS=${PROGRAMS_DIRECTORY_${library}}/openmp_regions")
    endforeach()
    foreach(case IN ITEMS counts_are_those_of_the_regions_of_all_threads what_was_counted_is_shown
        short_regions_are_counted_in_a_part_of_their_passes counters_that_take_turns_are_corrected
        events_that_are_absent_are_absent_in_regions counters_that_are_switched_off_leave_no_counts
        regions_of_other_threads_are_not_counted the_program_runs_as_without)
      set(programs counted_regions)
      if(clang_has_openmp)
        list(APPEND programs counted_regions_clang)
      endif()
      foreach(program IN LISTS programs)
        string(REPLACE counted_regions "" suffix ${program})
        add_recorder_test(${library} ${case}${suffix}_with_${library} region_counters_test.sh ${case})
        set_property(TEST recorder_${case}${suffix}_with_${library} APPEND PROPERTY ENVIRONMENT "HUDDLE=$<TARGET_FILE:huddle>"
          "REGIONS=${PROGRAMS_DIRECTORY_${library}}/${program}" "FAKE=$<TARGET_FILE:fake_counters>")
      endforeach()
    endforeach()
    set(cases waiting_of_threads_is_found_as_it_was short_regions_end_a_trace_at_its_limit regions_are_in_the_functions_that_begin_them)
    if(clang_has_openmp)
      list(APPEND cases regions_of_llvms_runtime_are_in_the_functions_that_begin_them
        waiting_of_threads_of_llvms_runtime_is_found_as_it_was short_regions_of_llvms_runtime_end_a_trace_at_its_limit
        threads_of_llvms_runtime_that_spin_leave_a_whole_trace)
    endif()
    foreach(case IN LISTS cases)
      add_recorder_test(${library} ${case}_with_${library} openmp_trace_test.sh ${case})
      set_property(TEST recorder_${case}_with_${library} APPEND PROPERTY ENVIRONMENT "HUDDLE=$<TARGET_FILE:huddle>"
        "WAITS=${PROGRAMS_DIRECTORY_${library}}/openmp_waits" "REGIONS=${PROGRAMS_DIRECTORY_${library}}/openmp_regions")
    endforeach()
    foreach(case IN ITEMS fewer_cores_are_tried_and_the_profile_says_what_they_take chosen_cores_are_used_once_the_groups_are_known
        teams_that_slow_the_program_go_back ranks_that_share_cores_are_left_alone
        loops_without_delimiters_are_guarded_by_their_own_passes)
      add_recorder_test(${library} ${case}_with_${library} packed_teams_test.sh ${case})
      set_property(TEST recorder_${case}_with_${library} APPEND PROPERTY ENVIRONMENT
        "TEAMS=${PROGRAMS_DIRECTORY_${library}}/packed_teams")
    endforeach()
    set(case teams_sized_by_the_processors_that_are_seen_keep_their_size)
    add_recorder_test(${library} ${case}_with_${library} packed_teams_test.sh ${case})
    set_property(TEST recorder_${case}_with_${library} APPEND PROPERTY ENVIRONMENT
      "TEAMS=${PROGRAMS_DIRECTORY_${library}}/teams_by_processors")
    if(clang_has_openmp)
      add_recorder_test(${library} ${case}_by_llvms_runtime_with_${library} packed_teams_test.sh ${case})
      set_property(TEST recorder_${case}_by_llvms_runtime_with_${library} APPEND PROPERTY ENVIRONMENT
        "TEAMS=${PROGRAMS_DIRECTORY_${library}}/teams_by_processors_clang" UNSET_SPINS=1)
      foreach(case IN ITEMS fewer_cores_are_tried_and_the_profile_says_what_they_take chosen_cores_are_used_once_the_groups_are_known
          teams_that_slow_the_program_go_back)
        add_recorder_test(${library} ${case}_by_llvms_runtime_with_${library} packed_teams_test.sh ${case})
        set_property(TEST recorder_${case}_by_llvms_runtime_with_${library} APPEND PROPERTY ENVIRONMENT
          "TEAMS=${PROGRAMS_DIRECTORY_${library}}/packed_teams_clang" UNSET_SPINS=1)
      endforeach()
    endif()
    if(TARGET huddle_exec)
      foreach(case IN ITEMS a_long_run_chooses_and_acts_itself teams_that_need_their_cores_stay runs_without_a_chooser_go_on)
        add_recorder_test(${library} ${case}_with_${library} within_run_test.sh ${case})
        set_property(TEST recorder_${case}_with_${library} APPEND PROPERTY ENVIRONMENT
          "TEAMS=${PROGRAMS_DIRECTORY_${library}}/packed_teams" "MACHINE=${PROJECT_SOURCE_DIR}/tests/fixtures/machines/package2-die2-core2-frequencies.json"
          "LIBRARIES=${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
      endforeach()
    endif()
    foreach(case IN ITEMS smaller_teams_are_tried_once_and_then_used_where_they_were_chosen teams_of_a_plan_stay_while_sizes_are_tried
        programs_that_end_badly_with_smaller_teams_keep_their_sizes teams_with_a_clause_and_nested_ones_keep_their_size)
      add_recorder_test(${library} ${case}_with_${library} team_sizes_test.sh ${case})
      set_property(TEST recorder_${case}_with_${library} APPEND PROPERTY ENVIRONMENT
        "SIZES=${PROGRAMS_DIRECTORY_${library}}/team_sizes" "HUDDLE=$<TARGET_FILE:huddle>")
    endforeach()
    add_recorder_test(${library} teams_run_as_chosen_for_their_position_in_a_period_with_${library} v_cycles_test.sh)
    set_property(TEST recorder_teams_run_as_chosen_for_their_position_in_a_period_with_${library} APPEND PROPERTY ENVIRONMENT
      "CYCLES=${PROGRAMS_DIRECTORY_${library}}/v_cycles" "HUDDLE=$<TARGET_FILE:huddle>"
      "MACHINE=${PROJECT_SOURCE_DIR}/tests/fixtures/machines/package2-die2-core2-frequencies.json")
  endforeach()
endif()
