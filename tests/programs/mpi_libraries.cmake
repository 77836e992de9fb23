# The MPI libraries that programs are built with. Open MPI has to be there, MPICH is optional. CMake finds one MPI a
# build; so each compiler wrapper is asked for its options. After this:
#   PROGRAMS_MPIS             the libraries there are: openmpi, or openmpi and mpich
#   PROGRAMS_ABIS             abi if programs of MPI's standard ABI can be built
#   PROGRAMS_WITH_LARGE_COUNTS   those of PROGRAMS_MPIS that have MPI 4's calls with large counts
#   HUDDLE_MPI_ABI_MPICH, HUDDLE_MPI_ABI_OPENMPI   the libraries that such programs may be run with
#   programs_openmpi_cxx ...  what a program of a language needs of a library, to be linked: _cxx, _fortran
#   HUDDLE_OPENMPI_RUN, HUDDLE_MPICH_RUN   the launchers
#   PROGRAMS_DIRECTORY_openmpi ...         where the programs go
foreach(library IN ITEMS OPENMPI MPICH)
  string(TOLOWER ${library} suffix)
  find_program(HUDDLE_${library}_CXX NAMES mpicxx.${suffix} DOC "${library}'s C++ compiler")
  find_program(HUDDLE_${library}_FORTRAN NAMES mpifort.${suffix} DOC "${library}'s Fortran compiler")
  find_program(HUDDLE_${library}_RUN NAMES mpirun.${suffix} DOC "${library}'s launcher")
endforeach()
foreach(tool IN ITEMS CXX FORTRAN RUN)
  if(NOT HUDDLE_OPENMPI_${tool})
    message(FATAL_ERROR "HUDDLE_OPENMPI_${tool}: not found: install libopenmpi-dev, openmpi-bin and gfortran")
  endif()
endforeach()

# In the cache, so that programs_add works in every folder.
set(PROGRAMS_MPIS openmpi CACHE INTERNAL "MPI libraries that programs are built with")
set(PROGRAMS_DIRECTORY_openmpi ${CMAKE_BINARY_DIR}/programs CACHE INTERNAL "Programs built with Open MPI")
set(PROGRAMS_DIRECTORY_mpich ${CMAKE_BINARY_DIR}/programs-mpich CACHE INTERNAL "Programs built with MPICH")
if(HUDDLE_MPICH_CXX AND HUDDLE_MPICH_FORTRAN AND HUDDLE_MPICH_RUN)
  set(PROGRAMS_MPIS openmpi mpich CACHE INTERNAL "MPI libraries that programs are built with")
else()
  message(STATUS "No MPICH (libmpich-dev, mpich): no programs for it")
endif()

# MPI's standard ABI: one header, and a library of each MPI.
set(PROGRAMS_DIRECTORY_abi ${CMAKE_BINARY_DIR}/programs-abi CACHE INTERNAL "Programs built for MPI's standard ABI")
set(PROGRAMS_ABIS "" CACHE INTERNAL "abi if programs of MPI's standard ABI can be built")
foreach(library IN ITEMS mpich openmpi)
  string(TOUPPER ${library} upper)
  # By file: Debian's links to MPICH's are broken.
  file(GLOB found /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libmpi_abi_${library}.so.*)
  if(found)
    list(GET found 0 found)
  endif()
  set(HUDDLE_MPI_ABI_${upper} "${found}" CACHE INTERNAL "A library of the standard ABI, or empty")
endforeach()
if(HUDDLE_MPI_ABI_INCLUDE_DIR AND HUDDLE_MPI_ABI_MPICH)
  set(PROGRAMS_ABIS abi CACHE INTERNAL "abi if programs of MPI's standard ABI can be built")
  add_library(programs_abi_cxx INTERFACE)
  target_include_directories(programs_abi_cxx SYSTEM INTERFACE ${HUDDLE_MPI_ABI_INCLUDE_DIR})
  target_link_libraries(programs_abi_cxx INTERFACE ${HUDDLE_MPI_ABI_MPICH})
endif()

# Makes programs_LIBRARY_LANGUAGE of what WRAPPER -show says.
function(programs_ask wrapper library language)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${shown}")
  add_library(programs_${library}_${language} INTERFACE)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(programs_${library}_${language} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      target_link_directories(programs_${library}_${language} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l.*cxx") # the C++ bindings that MPI-3 removed
      continue()
    elseif(word MATCHES "^-l(.+)")
      target_link_libraries(programs_${library}_${language} INTERFACE ${CMAKE_MATCH_1})
    endif()
  endforeach()
endfunction()

file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/large_counts.cpp "#include <mpi.h>\nauto* const sends = &MPI_Send_c;\n")
set(PROGRAMS_WITH_LARGE_COUNTS "" CACHE INTERNAL "MPI libraries with MPI 4's calls with large counts")
foreach(library IN LISTS PROGRAMS_MPIS)
  string(TOUPPER ${library} upper)
  programs_ask(${HUDDLE_${upper}_CXX} ${library} cxx)
  execute_process(COMMAND ${HUDDLE_${upper}_CXX} -fsyntax-only ${CMAKE_CURRENT_BINARY_DIR}/large_counts.cpp
    RESULT_VARIABLE failure OUTPUT_QUIET ERROR_QUIET)
  if(failure EQUAL 0)
    list(APPEND PROGRAMS_WITH_LARGE_COUNTS ${library})
    set(PROGRAMS_WITH_LARGE_COUNTS ${PROGRAMS_WITH_LARGE_COUNTS} CACHE INTERNAL "MPI libraries with MPI 4's calls with large counts")
  endif()
  programs_ask(${HUDDLE_${upper}_FORTRAN} ${library} fortran)
endforeach()

# Adds a program for each library: NAME with Open MPI, mpich_NAME with MPICH; each file is called NAME. OUTPUT gets the
# targets' names. LANGUAGE is cxx, fortran, or cxx_abi for C++ that is built for the standard ABI, too (abi_NAME); the sources follow.
function(programs_add output name language)
  set(targets)
  set(libraries ${PROGRAMS_MPIS})
  if(language STREQUAL cxx_abi)
    set(language cxx)
    list(APPEND libraries ${PROGRAMS_ABIS})
  endif()
  foreach(library IN LISTS libraries)
    set(target ${name})
    if(NOT library STREQUAL openmpi)
      set(target ${library}_${name})
    endif()
    add_executable(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE programs_${library}_${language})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${PROGRAMS_DIRECTORY_${library}}
      Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.modules)
    list(APPEND targets ${target})
  endforeach()
  set(${output} ${targets} PARENT_SCOPE)
endfunction()
