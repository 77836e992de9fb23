# huddle_unit_test(NAME
#   FOLDERS FOLDER...      every *_test.cpp in these and below
#   [HELPERS FILE...]      what these share
#   [LIBRARIES TARGET...]
#   [INCLUDES DIR...]
#   [TIMEOUT SECONDS]      300 by default; a sanitizer gets four times as long)
#
# A doctest executable NAME_tests, and the test NAME with the label $HUDDLE_UNIT_TEST_LABEL that runs it; neither where tests on
# real programs are all that is wanted.
set(HUDDLE_UNIT_TEST_LABEL unit)
find_package(doctest REQUIRED)
find_package(Threads REQUIRED)

add_library(huddle_test_main STATIC unit_tests.cpp profiles/store/temporary_directory.cpp)
# They are compiled more often than they run, but some work for long.
target_compile_options(huddle_test_main PUBLIC -O1)
target_compile_definitions(huddle_test_main PUBLIC DOCTEST_CONFIG_SUPER_FAST_ASSERTS) # compiles in 6 % less time
target_link_libraries(huddle_test_main PUBLIC huddle_flags doctest::doctest Threads::Threads)
if(HUDDLE_PRECOMPILE)
  target_precompile_headers(huddle_test_main PRIVATE <doctest/doctest.h> ${HUDDLE_COMMON_HEADERS})
  # This one alone implements doctest.
  set_source_files_properties(unit_tests.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endif()

# huddle_test_patience(TEST...)   four times as long until the tests' TIMEOUT, where a sanitizer slows them down
function(huddle_test_patience)
  if(HUDDLE_SANITIZE)
    foreach(test IN LISTS ARGN)
      get_test_property(${test} TIMEOUT seconds)
      math(EXPR seconds "4 * ${seconds}")
      set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds})
    endforeach()
  endif()
endfunction()

function(huddle_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 unit "" "TIMEOUT" "FOLDERS;HELPERS;LIBRARIES;INCLUDES")
  set(patterns ${unit_FOLDERS})
  list(TRANSFORM patterns APPEND "/*_test.cpp")
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${patterns})
  add_executable(${name}_tests ${tests} ${unit_HELPERS})
  target_link_libraries(${name}_tests PRIVATE huddle_test_main ${unit_LIBRARIES})
  target_include_directories(${name}_tests SYSTEM PRIVATE ${unit_INCLUDES})
  target_compile_definitions(${name}_tests PRIVATE HUDDLE_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures"
    HUDDLE_MACHINES_FOLDER="${PROJECT_SOURCE_DIR}/profiles/machines")
  # The tests of a folder are compiled together, as the sources of a room are; what they share is compiled by itself.
  foreach(test IN LISTS tests)
    cmake_path(GET test PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${test} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${name}_tests PROPERTIES UNITY_BUILD ${HUDDLE_UNITY} UNITY_BUILD_MODE GROUP)
  if(HUDDLE_PRECOMPILE)
    target_precompile_headers(${name}_tests REUSE_FROM huddle_test_main)
    target_compile_options(${name}_tests PRIVATE -fPIC) # as the library is, else the compiled headers do not fit
  endif()
  if(NOT unit_TIMEOUT)
    set(unit_TIMEOUT 300)
  endif()
  if(HUDDLE_TEST_PARTS STREQUAL real)
    set_target_properties(${name}_tests PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${name}_tests)
  set_tests_properties(${name} PROPERTIES LABELS ${HUDDLE_UNIT_TEST_LABEL} TIMEOUT ${unit_TIMEOUT})
  huddle_test_patience(${name})
endfunction()
