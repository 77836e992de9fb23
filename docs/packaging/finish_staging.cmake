# cpack runs this on the staged files: it adds what Debian requires of every package.
find_program(GZIP gzip REQUIRED)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)

# gzip without a time, so that the same files make the same package.
function(compress file)
  execute_process(COMMAND ${GZIP} -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(names command huddle mpi-programs huddle-mpi-programs slurm-plugin huddle-slurm-plugin)
while(names)
  list(POP_FRONT names component package)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  if(NOT EXISTS ${root})
    continue()
  endif()
  file(GLOB pages ${root}${CPACK_PACKAGING_INSTALL_PREFIX}/share/man/man[1-8]/*.[1-8])
  foreach(page IN LISTS pages)
    compress(${page})
  endforeach()
  set(documents ${root}${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc/${package})
  file(WRITE ${documents}/changelog.Debian
    "${package} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * See /usr/share/doc/huddle/changelog.gz of the package huddle.\n\n -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${now}\n")
  compress(${documents}/changelog.Debian)
  if(EXISTS ${documents}/CHANGELOG.md)
    file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
    compress(${documents}/changelog)
  endif()
  file(REMOVE ${documents}/LICENSE) # the copyright file says it
endwhile()
