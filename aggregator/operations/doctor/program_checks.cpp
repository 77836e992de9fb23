#include "aggregator/operations/doctor/program_checks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "profiles/vocabulary/recorder_libraries.hpp"

namespace huddle::doctor {
namespace {

constexpr const char* kInstallAdvice =
    "install huddle on this machine, or name the file in [programs] of huddle.toml";

// Why the library can't be put into a program; empty if it can.
std::string why_not_loaded(const std::string& library, const OutputOf& output_of) {
  if (::access(library.c_str(), R_OK) != 0) return std::generic_category().message(errno);
  const std::string said = output_of({"/usr/bin/env", "LD_PRELOAD=" + library, "/bin/true"});
  const std::size_t begin = said.find("cannot be preloaded");
  if (begin == std::string::npos) return {};
  return said.substr(begin, said.find('\n', begin) - begin);
}

bool has_any(const std::string& text, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (text.find(name) != std::string::npos) return true;
  return false;
}

Finding check_recorder(const std::string& mpi, const std::string& library, bool found_mpi,
                       const OutputOf& output_of) {
  const std::string name = mpi == "Open MPI" ? "openmpi" : "mpich";
  const std::string reason = why_not_loaded(library, output_of);
  if (reason.empty())
    return {name,
            Verdict::kOk,
            fmt::format("the recorder for {} loads{}", mpi,
                        found_mpi ? "" : "; the linker knows no such MPI here (modules may)"),
            "",
            {}};
  return {name,
          found_mpi ? Verdict::kWrong : Verdict::kWarning,
          fmt::format("the recorder for {}, {}, can't be loaded ({}): its programs run unmeasured",
                      mpi, library, reason),
          kInstallAdvice,
          {}};
}

}  // namespace

std::vector<Finding> check_recorders(const Policy& policy, const OutputOf& output_of) {
  const std::string libraries = output_of({"/sbin/ldconfig", "-p"});
  const bool openmpi = has_any(libraries, {"libmpi.so.40", "libmpi.so.20"});
  const bool mpich = has_any(libraries, {"libmpich.so", "libmpi.so.12"});
  return {check_recorder("Open MPI", policy.recorder, openmpi, output_of),
          check_recorder("MPICH", mpich_recorder_beside(policy.recorder), mpich, output_of)};
}

Finding check_mpirun_helper(const Policy& policy) {
  if (::access(policy.mpirun_helper.c_str(), R_OK) == 0)
    return {"mpirun", Verdict::kOk, "mpirun can follow plans", "", {}};
  return {"mpirun",
          Verdict::kWrong,
          fmt::format("mpirun can't follow plans: {}: {}", policy.mpirun_helper,
                      std::generic_category().message(errno)),
          kInstallAdvice,
          {}};
}

}  // namespace huddle::doctor
