#include "aggregator/operations/doctor/site_file_checks.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "aggregator/operations/doctor/node_report.hpp"
#include "aggregator/predict/computation/model_quality.hpp"
#include "aggregator/predict/model/model.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/files/trusted_file.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/policy/site_switch.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"

namespace huddle::doctor {
namespace {

constexpr std::uint64_t kMostProgramBytes = std::uint64_t{64} << 20U;

// Tells contents apart, not authors: an accident is looked for, not an adversary.
std::string fingerprint(const std::filesystem::path& file) {
  return fmt::format("{} ({:016x})", file.string(),
                     hash_of(files::read_file(file, kMostProgramBytes)));
}

std::string shape_of(const commgraph::NodeTopology& node) {
  return fmt::format("{} x {} x {}", node.packages, node.dies_per_package, node.cores_per_die);
}

// As the plugin reads it; as root also no file that others could put in its place.
Policy trusted_policy(const std::filesystem::path& file) {
  constexpr std::uint64_t kMostPolicyBytes = std::uint64_t{1} << 20U;
  const std::string text = files::read_trusted_file(file, kMostPolicyBytes);
  if (const std::string why = why_root_must_not(file); !why.empty())
    throw files::UntrustedFile(why);
  return parse_policy(text, file.string());
}

}  // namespace

std::string why_root_must_not(const std::filesystem::path& file) {
  if (::geteuid() != 0) return {};
  const std::string why = files::why_untrusted(file);
  if (why.empty()) return {};
  return why + (why.starts_with(file.string() + " ")
                    ? ""
                    : fmt::format(", and so {} could be another's", file.string()));
}

ExaminedPolicy check_policy(const PolicyFile& file) {
  constexpr const char* kOff = "the plugin turns itself off until this is repaired";
  ExaminedPolicy examined;
  try {
    examined.policy = trusted_policy(file.file);
    examined.finding = ok("policy", fmt::format("{} is valid", file.file.string()));
    examined.facts[kPolicyFact] = fingerprint(file.file);
  } catch (const SystemError& error) {
    if (error.error_number() == ENOENT && !file.named) {
      examined.policy = Policy::defaults();
      examined.finding =
          ok("policy", fmt::format("there is no {}: the defaults hold", file.file.string()));
      examined.facts[kPolicyFact] = "none";
      return examined;
    }
    examined.finding = wrong("policy", fmt::format("{}: {}", error.what(), kOff),
                             "put the file there, readable by all (mode 0644)");
  } catch (const files::UntrustedFile& error) {
    examined.finding =
        wrong("policy",
              fmt::format("{}: it is not followed, since it says what runs in other "
                          "users' jobs",
                          error.what()),
              fmt::format("let root own it and each folder on the way, and nobody else "
                          "write to them: chown root, chmod go-w {}",
                          file.file.string()));
  } catch (const Error& error) {
    examined.finding = wrong("policy", fmt::format("{}: {}", error.what(), kOff),
                             "correct it, see huddle.toml(5)");
  }
  return examined;
}

Finding check_switch(const std::optional<Policy>& policy,
                     const std::filesystem::path& policy_file) {
  if (const auto stopped = present_stop_file(policy_file); !stopped.empty())
    return warning(
        "switch", fmt::format("stopped: {} exists, no job is measured or packed", stopped.string()),
        fmt::format("to go on: rm {}", stopped.string()));
  if (policy && !policy->enabled)
    return warning("switch", why_switched_off(*policy, policy_file),
                   "to go on: set enabled = true in it");
  std::string files;
  for (const std::filesystem::path& file : stop_files(policy_file))
    files += (files.empty() ? "" : " or ") + file.string();
  return ok("switch", fmt::format("on; the file {} stops everything", files));
}

Examined check_machine(const Policy& policy, bool runs_jobs) {
  if (policy.machine_file.empty())
    return {
        warning("machine", "no machine document: jobs are measured, never packed",
                "run huddle machine --nodes N -o FILE on a node, and name FILE as machine.file in "
                "huddle.toml"),
        {{kMachineFact, "none"}}};
  try {
    const Machine machine = load_machine(policy.machine_file);
    const commgraph::NodeTopology described =
        commgraph::load_topology(machine.topology, policy.machine_file);
    const std::map<std::string, std::string> facts = {
        {kMachineFact, fingerprint(policy.machine_file)}};
    if (!runs_jobs)
      return {ok("machine", fmt::format("{} can be read", policy.machine_file)), facts};
    const std::string here = shape_of(commgraph::this_machine_topology());
    if (here != shape_of(described))
      return {
          wrong(
              "machine",
              fmt::format("{} describes nodes of {} (packages x dies x cores), this one has {}",
                          policy.machine_file, shape_of(described), here),
              "keep such nodes out of the partitions that Huddle is used in, or describe the right "
              "ones by huddle machine"),
          facts};
    return {ok("machine", fmt::format("{} describes this node ({})", policy.machine_file, here)),
            facts};
  } catch (const Error& error) {
    return {wrong("machine", fmt::format("{}: no job is packed", error.what()),
                  "put the document there, readable by all, or make it anew by huddle machine"),
            {}};
  }
}

Examined check_model(const Policy& policy) {
  if (policy.model_file.empty())
    return {warning("model", "no model: what ranks do to each other on a full node is not foreseen",
                    "run huddle train --run on a few nodes, and name its model as machine.model in "
                    "huddle.toml"),
            {{kModelFact, "none"}}};
  try {
    const predict::ModelQuality quality =
        predict::quality_of(predict::load_model(policy.model_file).computation);
    const std::map<std::string, std::string> facts = {{kModelFact, fingerprint(policy.model_file)}};
    if (!quality.acceptable())
      return {
          warning(
              "model",
              fmt::format("the errors of {} on programs left out are {}, expected {}: no job is "
                          "planned by it",
                          policy.model_file, text_of(quality), predict::expected_quality()),
              "train it anew by huddle train --run, on quiet nodes and with a larger --budget"),
          facts};
    return {ok("model", fmt::format("{} can be read", policy.model_file)), facts};
  } catch (const Error& error) {
    return {wrong("model", fmt::format("{}: no job is packed", error.what()),
                  "put the model there, readable by all, or train it anew by huddle train"),
            {}};
  }
}

Finding check_journal(const Policy& policy) {
  const std::string& directory = policy.frequency_journal;
  struct stat facts {};
  const bool there = ::lstat(directory.c_str(), &facts) == 0;  // root follows no link
  if (!policy.grants_frequencies())
    return ok("journal", "not needed: the policy lets Huddle set no frequency");
  if (!there || !S_ISDIR(facts.st_mode))
    return wrong(
        "journal",
        fmt::format("the journal's directory {} is missing ({}): no frequency is set", directory,
                    there ? "not a directory" : std::generic_category().message(errno)),
        fmt::format("as root: install -d -m 0700 {}", directory));
  if (facts.st_uid != 0 || (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return wrong("journal",
                 fmt::format("others than root may open the journal's directory {}", directory),
                 fmt::format("as root: chown root:root {0} && chmod 0700 {0}", directory));
  return ok("journal", fmt::format("{} is root's", directory));
}

Finding check_watcher(const Policy& policy) {
  struct stat facts {};
  if (::stat(policy.clocks.c_str(), &facts) != 0)
    return wrong(
        "watcher",
        fmt::format("the program that watches over limited clocks, {}, is missing ({}): no "
                    "frequency is set",
                    policy.clocks, std::generic_category().message(errno)),
        "install huddle on this node, or name the file in [programs] of huddle.toml");
  const std::string why = why_root_must_not(policy.clocks);
  if (facts.st_uid != 0 || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0 || !why.empty())
    return wrong("watcher",
                 fmt::format("others than root may write to {}{}{}: no frequency is set",
                             policy.clocks, why.empty() ? "" : ", since ", why),
                 fmt::format("as root: chown root:root {0} && chmod 0755 {0}", policy.clocks));
  return ok("watcher", fmt::format("{} is root's", policy.clocks));
}

namespace {

constexpr const char* kInstallAdvice =
    "install huddle on this machine, or name the file in [programs] of huddle.toml";

// Why the library, which may be trusted, can't be put into a program; empty if it can.
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

/// An MPI, and whether the linker finds it here.
struct KnownMpi {
  const char* check;
  const char* name;
  bool is_here = false;
};

// `matters`: it is here, or no MPI is, so that each may come by modules.
Finding check_recorder(const KnownMpi& mpi, bool matters, const std::string& library,
                       const OutputOf& output_of) {
  const std::string untrusted = why_root_must_not(library);
  const std::string reason = untrusted.empty() ? why_not_loaded(library, output_of) : untrusted;
  if (reason.empty())
    return ok(mpi.check,
              fmt::format("the recorder for {} loads{}", mpi.name,
                          mpi.is_here ? "" : "; the linker knows no such MPI here (modules may)"));
  if (untrusted.empty() && !matters)
    return ok(mpi.check,
              fmt::format("{} is not installed here, nor can its recorder be loaded ({})", mpi.name,
                          reason));
  return {mpi.check,
          mpi.is_here || !untrusted.empty() ? Verdict::kWrong : Verdict::kWarning,
          fmt::format("the recorder for {}, {}, can't be loaded ({}): its programs run unmeasured",
                      mpi.name, library, reason),
          kInstallAdvice,
          {}};
}

}  // namespace

std::vector<Finding> check_recorders(const Policy& policy, const OutputOf& output_of) {
  const std::string libraries = output_of({"/sbin/ldconfig", "-p"});
  const KnownMpi openmpi{"openmpi", "Open MPI",
                         has_any(libraries, {"libmpi.so.40", "libmpi.so.20"})};
  const KnownMpi mpich{"mpich", "MPICH", has_any(libraries, {"libmpich.so", "libmpi.so.12"})};
  const KnownMpi standard{"mpi-abi", "MPI's standard ABI", has_any(libraries, {"libmpi_abi.so"})};
  const bool none = !openmpi.is_here && !mpich.is_here;
  std::vector<Finding> findings = {
      check_recorder(openmpi, openmpi.is_here || none, policy.recorder, output_of),
      check_recorder(mpich, mpich.is_here || none, recorder_beside(policy.recorder, "_mpich"),
                     output_of)};
  const std::string of_standard = recorder_beside(policy.recorder, "_abi");
  if (std::filesystem::exists(of_standard))
    findings.push_back(check_recorder(standard, standard.is_here, of_standard, output_of));
  else if (standard.is_here)
    findings.push_back({standard.check, Verdict::kWarning,
                        fmt::format("Huddle was built without a recorder for {}: programs that "
                                    "load libmpi_abi.so run unmeasured",
                                    standard.name),
                        "build Huddle where MPICH 5's or Open MPI 6's headers are", {}});
  return findings;
}

Finding check_mpirun_helper(const Policy& policy) {
  std::string why;
  if (::access(policy.mpirun_helper.c_str(), R_OK) != 0)
    why = fmt::format("{}: {}", policy.mpirun_helper, std::generic_category().message(errno));
  else
    why = why_root_must_not(policy.mpirun_helper);
  if (why.empty()) return ok("mpirun", "mpirun can follow plans");
  return wrong("mpirun", fmt::format("mpirun can't follow plans: {}", why), kInstallAdvice);
}

}  // namespace huddle::doctor
