# What only the RPM packages have. CMAKE_INSTALL_LIBDIR says where their libraries go: lib64 on distributions of RPM.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_PACKAGE_RELEASE 1)
set(CPACK_RPM_PACKAGE_RELEASE_DIST ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
# Libraries here are preloaded or are plugins: no program is to depend on them.
set(CPACK_RPM_PACKAGE_AUTOPROV OFF)
# An MPI is in a folder of its own there, which a module adds to LD_LIBRARY_PATH: what packages provide names that folder, too.
# There are no packages of debugging symbols, to which links by build ids would lead.
set(CPACK_RPM_SPEC_MORE_DEFINE "%global __requires_exclude ^lib(mpi|mpich|open-rte|open-pal|open_mpi)[^/]*[.]so\n%global _build_id_links none")
string(TIMESTAMP today "%a %b %d %Y" UTC)
set(CPACK_RPM_CHANGELOG_FILE ${CMAKE_CURRENT_BINARY_DIR}/changelog.rpm)
file(WRITE ${CPACK_RPM_CHANGELOG_FILE} "* ${today} ${CPACK_PACKAGE_CONTACT} - ${PROJECT_VERSION}-${CPACK_RPM_PACKAGE_RELEASE}\n\
- See CHANGELOG.md in the documentation of the package huddle.\n")
# Folders that others own.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /etc/slurm /etc/slurm/plugstack.conf.d /var /var/lib ${HUDDLE_SLURM_PLUGIN_DIR})
foreach(folder IN ITEMS
    bin sbin lib/systemd lib/systemd/system lib/sysusers.d share share/bash-completion share/bash-completion/completions share/doc
    share/fish share/fish/vendor_completions.d share/licenses share/man share/man/man1 share/man/man5 share/man/man8
    ${CMAKE_INSTALL_LIBDIR})
  list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION ${CMAKE_INSTALL_PREFIX}/${folder})
endforeach()
set(same_version "= ${PROJECT_VERSION}-${CPACK_RPM_PACKAGE_RELEASE}%{?dist}")

set(scriptlets pre PRE_INSTALL post POST_INSTALL preun PRE_UNINSTALL postun POST_UNINSTALL)
foreach(component IN ITEMS COMMAND MPI-PROGRAMS SLURM-PLUGIN)
  string(TOLOWER ${component} name)
  set(CPACK_RPM_${component}_PACKAGE_NAME ${package_of_${component}})
  string(SUBSTRING ${summary_of_${component}} 0 1 first)
  string(SUBSTRING ${summary_of_${component}} 1 -1 others)
  string(TOUPPER ${first} first)
  set(CPACK_RPM_${component}_PACKAGE_SUMMARY "${first}${others}")
  set(CPACK_RPM_${component}_PACKAGE_DESCRIPTION "${description_of_${component}}")
  set(CPACK_RPM_${component}_PACKAGE_REQUIRES "huddle ${same_version}")
  set(CPACK_RPM_${component}_USER_FILELIST "%license ${CMAKE_INSTALL_PREFIX}/share/licenses/${package_of_${component}}/copyright")
  set(rest ${scriptlets})
  while(rest)
    list(POP_FRONT rest scriptlet variable)
    set(file ${CMAKE_CURRENT_LIST_DIR}/${name}/${scriptlet})
    if(EXISTS ${file})
      set(CPACK_RPM_${component}_${variable}_SCRIPT_FILE ${file})
    endif()
  endwhile()
endforeach()

unset(CPACK_RPM_COMMAND_PACKAGE_REQUIRES)
# CPack has no variables for tags that only recommend; what it has, it writes into the specification as it is.
set(CPACK_RPM_COMMAND_PACKAGE_REQUIRES_POST "/usr/bin/systemd-sysusers
Suggests: huddle-mpi-programs ${same_version}, huddle-slurm-plugin ${same_version}")
if(late_library)
  cmake_path(GET late_library FILENAME soname)
  string(REGEX MATCH "^.*[.]so[.][0-9]+" soname ${soname})
  string(APPEND CPACK_RPM_COMMAND_PACKAGE_REQUIRES_POST "\nRecommends: ${soname}()(64bit)")
endif()
list(APPEND CPACK_RPM_COMMAND_USER_FILELIST "%license ${CMAKE_INSTALL_PREFIX}/share/licenses/huddle/LICENSE")

string(APPEND CPACK_RPM_SLURM-PLUGIN_PACKAGE_REQUIRES
       ", slurm >= ${slurm_major}.${slurm_minor}, slurm < ${slurm_major}.${slurm_next}")
# Where the package goes, preun has moved the line away before.
list(APPEND CPACK_RPM_SLURM-PLUGIN_USER_FILELIST
     "%config(noreplace, missingok) ${CMAKE_INSTALL_FULL_SYSCONFDIR}/slurm/plugstack.conf.d/huddle.conf"
     "%dir %attr(0700, root, root) ${CMAKE_INSTALL_FULL_LOCALSTATEDIR}/lib/huddle")
