#include "aggregator/operations/launch/launcher.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::operations {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// As --cpu-bind wants it: hexadecimal, PU 0 is the lowest bit.
std::string mask_of(const PuSet& pus) {
  constexpr std::uint32_t kBitsADigit = 4;
  std::string digits;
  for (const std::uint32_t pu : pus.members()) {
    const std::size_t digit = pu / kBitsADigit;
    if (digits.size() <= digit) digits.resize(digit + 1, 0);
    digits[digit] = static_cast<char>(digits[digit] | 1 << pu % kBitsADigit);
  }
  std::string mask = "0x";
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
    mask += fmt::format("{:x}", static_cast<int>(*digit));
  return mask;
}

// One entry for each rank of the first node, joined by commas.
template <class TextOf>
std::string by_slot(const Plan& plan, TextOf text_of) {
  std::string list;
  for (const RankPlace& place : plan.placement)
    if (place.node == NodeIndex{0})
      list += fmt::format("{}{}", list.empty() ? "" : ",", text_of(place.pus));
  return list;
}

// PRRTE counts cores in its own order, and by default gives a host one slot.
std::string hosts_with_slots(const Plan& plan, const std::vector<std::string>& hosts) {
  std::string list;
  const std::vector<std::uint32_t> ranks = plan.ranks_by_node();
  for (std::size_t node = 0; node < ranks.size(); ++node)
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", hosts[node], ranks[node]);
  return list;
}

// Binds itself to the rank's PUs in the rankfile $0, and becomes the program.
constexpr const char* kBindAndRun =
    "exec taskset --cpu-list \"$(sed -n \"s/^rank $PMIX_RANK=.* slot=//p\" \"$0\")\" \"$@\"";

std::string written(const std::string& text, const fs::path& path) {
  const fs::path file = fs::absolute(path);
  files::AtomicFile target(file);
  target.write(text);
  target.commit();
  return file.string();
}

}  // namespace

LauncherKind kind_of_launcher(const std::vector<std::string>& words) {
  const std::string name = fs::path(words.front()).filename().string();
  if (name == "srun") return LauncherKind::kSlurm;
  if (name.find("mpich") != std::string::npos || name.find("hydra") != std::string::npos)
    return LauncherKind::kMpich;
  const std::string version = output_of({words.front(), "--version"});
  if (version.find("HYDRA") != std::string::npos) return LauncherKind::kMpich;
  // "mpirun (Open MPI) 5.0.7"
  constexpr std::string_view kOpenMpi = "(Open MPI) ";
  const std::size_t at = version.find(kOpenMpi);
  const int major = at == std::string::npos ? 0 : std::atoi(&version[at + kOpenMpi.size()]);
  return major >= 5 ? LauncherKind::kOpenMpi5 : LauncherKind::kOpenMpi;
}

Launcher::Launcher(const std::string& command, std::vector<std::string> hosts)
    : words_(words_in(command)), hosts_(std::move(hosts)) {
  if (words_.empty()) throw UsageError("a launcher of no words: expected a command such as mpirun");
  if (hosts_.empty()) hosts_ = {"localhost"};
  kind_ = kind_of_launcher(words_);
}

void Launcher::place(RunRequest& request, const Plan& plan, const std::vector<std::string>& program,
                     const fs::path& folder) const {
  const std::string ranks = fmt::format("{}", plan.ranks);
  std::vector<std::string> words = words_;
  const auto add = [&](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  switch (kind_) {
    case LauncherKind::kOpenMpi:
      add({"--mca", "rmaps_rank_file_physical", "1", "--rankfile",
           written(openmpi_rankfile(plan, hosts_), folder / "rankfile"), "-np", ranks});
      for (const auto& [name, value] : request.variables) add({"-x", name});
      break;
    case LauncherKind::kOpenMpi5: {
      const std::string places = written(openmpi_rankfile(plan, hosts_), folder / "rankfile");
      add({"--host", hosts_with_slots(plan, hosts_), "--map-by", "slot", "--bind-to", "none", "-np",
           ranks});
      for (const auto& [name, value] : request.variables) add({"-x", name});
      add({"/bin/sh", "-c", kBindAndRun, places});
      break;
    }
    case LauncherKind::kMpich:
      add({"-n", ranks, "-f", written(mpich_host_file(plan, hosts_), folder / "hostfile"),
           "-bind-to",
           "user:" + by_slot(plan, [](const PuSet& pus) { return pus.members().front(); })});
      break;
    case LauncherKind::kSlurm:
      request.variables.emplace_back("SLURM_HOSTFILE",
                                     written(slurm_host_file(plan, hosts_), folder / "hostfile"));
      // The host file says how many nodes; Slurm 24.11 takes no other word for it.
      add({fmt::format("--ntasks={}", ranks), "--distribution=arbitrary",
           "--cpu-bind=mask_cpu:" + by_slot(plan, mask_of)});
      break;
  }
  words.insert(words.end(), program.begin(), program.end());
  request.command = std::move(words);
}

std::vector<std::string> allocated_hosts() {
  const char* const list = std::getenv("SLURM_JOB_NODELIST");  // NOLINT(concurrency-mt-unsafe)
  if (list == nullptr || *list == '\0') return {};
  const std::vector<std::string> hosts =
      words_in(output_of({"scontrol", "show", "hostnames", list}));
  if (hosts.empty())
    throw NotFound(NotFound::What::kHosts,
                   fmt::format("scontrol does not say which hosts {} are", shortened(list)));
  return hosts;
}

}  // namespace huddle::operations
