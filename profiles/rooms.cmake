# The rooms of the house: how the folders of a floor become libraries, and which may use which.
#
# huddle_room(FOLDER
#   [USES ROOM...]         rooms whose headers it may include; what they use themselves is not included in that
#   [PARTS FOLDER...]      folders below it that belong to it; detail/ always does
#   [LIBRARIES TARGET...]  third parties' libraries, seen by its own sources only
#   [INCLUDES DIR...]      the same for headers without a target
#   [SOURCES FILE...])     these alone instead of all .cpp files
#
# FOLDER is relative to the floor's folder and names the room. The library is huddle_<FOLDER with '_' for '/'>, or none if
# the room has headers only. The test "rooms" compares the arrows given here with the includes of the sources.
set_property(GLOBAL PROPERTY HUDDLE_ROOMS "")

# Headers that every room's sources begin with: compiled once, used by all of them.
set(HUDDLE_COMMON_HEADERS <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory>
    <optional> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

function(huddle_room folder)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "USES;PARTS;LIBRARIES;INCLUDES;SOURCES")
  set(sources ${room_SOURCES})
  if(NOT sources)
    set(patterns "")
    foreach(part IN ITEMS . detail LISTS room_PARTS)
      list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${part}/*.cpp)
    endforeach()
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  else()
    list(TRANSFORM sources PREPEND ${folder}/)
  endif()
  huddle_room_arrows(${folder} ${room_USES})

  string(REPLACE "/" "_" name ${folder})
  set(links ${room_USES})
  list(TRANSFORM links REPLACE "/" "_")
  list(TRANSFORM links PREPEND huddle_)
  if(NOT sources)
    add_library(huddle_${name} INTERFACE)
    target_link_libraries(huddle_${name} INTERFACE huddle_flags ${links})
  else()
    add_library(huddle_${name} STATIC ${sources})
    target_link_libraries(huddle_${name} PUBLIC huddle_flags ${links} PRIVATE ${room_LIBRARIES})
    target_include_directories(huddle_${name} SYSTEM PRIVATE ${room_INCLUDES})
    # Rooms end up inside users' programs and Slurm's processes, which shall see nothing of them.
    set_target_properties(huddle_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    huddle_compile_together(huddle_${name})
    huddle_precompile(huddle_${name} ${room_LIBRARIES})
  endif()
  add_library(huddle::${name} ALIAS huddle_${name})
endfunction()

# For folders whose sources are compiled by other means than huddle_room().
function(huddle_room_arrows folder)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE floor)
  string(REGEX REPLACE "/.*" "" floor ${floor})
  list(JOIN ARGN " " uses)
  set_property(GLOBAL APPEND PROPERTY HUDDLE_ROOMS "${floor}/${folder}: ${uses}")
endfunction()

# Compiles what a target's sources begin with, once for all that are compiled alike and use the same LIBRARIES.
function(huddle_precompile target)
  if(NOT HUDDLE_PRECOMPILE)
    return()
  endif()
  set(kind common)
  set(headers ${HUDDLE_COMMON_HEADERS})
  set(libraries "")
  if("nlohmann_json::nlohmann_json" IN_LIST ARGN)
    set(kind json)
    list(APPEND headers <nlohmann/json.hpp>)
    list(APPEND libraries nlohmann_json::nlohmann_json)
  endif()
  if(NOT TARGET huddle_headers_${kind})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/headers_${kind}.cpp CONTENT "") # untouched if it is there
    add_library(huddle_headers_${kind} STATIC ${CMAKE_BINARY_DIR}/headers_${kind}.cpp)
    target_link_libraries(huddle_headers_${kind} PRIVATE huddle_flags ${libraries})
    set_target_properties(huddle_headers_${kind} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_precompile_headers(huddle_headers_${kind} PRIVATE ${headers})
  endif()
  target_precompile_headers(${target} REUSE_FROM huddle_headers_${kind})
endfunction()

# For modules that get into users' programs, whose glibc may be older than the build's: see profiles/older_glibc/older_glibc.c.
# WRAPS_THREAD_CALLS: the module has pthread_create() and pthread_getattr_np() itself. A sanitizer's runtime is newer anyway.
function(huddle_for_older_glibc target)
  cmake_parse_arguments(PARSE_ARGV 1 arg WRAPS_THREAD_CALLS "" "")
  if(HUDDLE_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
    return()
  endif()
  set(objects huddle_older_glibc)
  if(arg_WRAPS_THREAD_CALLS)
    set(objects huddle_older_glibc_but_thread_calls)
  endif()
  if(NOT TARGET ${objects})
    add_library(${objects} OBJECT ${PROJECT_SOURCE_DIR}/profiles/older_glibc/older_glibc.c)
    # A symbol's version is said in assembly, which link-time optimisation does not see.
    target_compile_options(${objects} PRIVATE -fno-lto -O2 -Wall -Wextra $<$<BOOL:${HUDDLE_WERROR}>:-Werror>)
    target_compile_definitions(${objects} PRIVATE $<$<BOOL:${arg_WRAPS_THREAD_CALLS}>:HUDDLE_WRAPS_THREAD_CALLS>)
    set_target_properties(${objects} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  target_link_options(${target} PRIVATE
    LINKER:--push-state,--no-as-needed,-l:libdl.so.2,-l:libpthread.so.0,--pop-state)
endfunction()

# Sources of a room are compiled some at a time, since most of what a short file costs is what it includes. So names in the
# unnamed namespaces of a room must differ. The preset fuzz compiles each file alone, as a check on what it includes.
function(huddle_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HUDDLE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Where the test "rooms" finds the arrows.
function(huddle_write_rooms)
  get_property(rooms GLOBAL PROPERTY HUDDLE_ROOMS)
  list(JOIN rooms "\n" text)
  file(WRITE ${CMAKE_BINARY_DIR}/rooms.txt "${text}\n")
endfunction()
