# What only the Debian packages have.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(same_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

foreach(component IN ITEMS COMMAND MPI-PROGRAMS SLURM-PLUGIN)
  string(TOLOWER ${component} name)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${package_of_${component}})
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_${component}_DESCRIPTION "${summary_of_${component}}\n${description_of_${component}}")
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "huddle ${same_version}")
  file(GLOB CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/${name}/*)
endforeach()

# Packages that make users from sysusers.d, with systemd or without.
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers | systemd-sysusers")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "huddle-mpi-programs ${same_version}, huddle-slurm-plugin ${same_version}")
if(late_library)
  execute_process(COMMAND dpkg-query --search ${late_library} OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX MATCH "^[^:,]+" owner "${owner}")
  set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS ${owner})
endif()

set(CPACK_DEBIAN_SLURM-PLUGIN_PACKAGE_SECTION admin)
set(slurm slurm-wlm-basic-plugins)
string(APPEND CPACK_DEBIAN_SLURM-PLUGIN_PACKAGE_DEPENDS
       ", ${slurm} (>= ${slurm_major}.${slurm_minor}), ${slurm} (<< ${slurm_major}.${slurm_next}~)")
