#include "aggregator/operations/launch/launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "aggregator/render/output.hpp"
#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

Plan plan_for(const TrainingPattern& placed, const NodeTopology& node) {
  Plan plan;
  plan.ranks = placed.ranks;
  plan.chosen.nodes = placed.nodes;
  const std::vector<PuSet> slots = slots_of(placed.pattern, node);
  for (std::uint32_t rank = 0; rank < placed.ranks; ++rank)
    plan.placement.push_back(
        {NodeIndex{static_cast<std::uint32_t>(rank / slots.size())}, slots[rank % slots.size()]});
  return plan;
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

std::vector<std::string> lines_of(const char* command) {
  std::vector<std::string> lines;
  FILE* const pipe = ::popen(command, "r");
  if (pipe == nullptr) throw SystemError("start", command, errno);
  std::array<char, 1024> line{};
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    std::string text = line.data();
    while (text.ends_with('\n')) text.pop_back();
    if (!text.empty()) lines.push_back(text);
  }
  if (::pclose(pipe) != 0) lines.clear();
  return lines;
}

}  // namespace

Launcher::Launcher(const std::string& command, std::vector<std::string> hosts)
    : hosts_(std::move(hosts)) {
  std::istringstream words(command);
  for (std::string word; words >> word;) words_.push_back(word);
  if (words_.empty()) throw UsageError("--launcher: found nothing, expected a command: mpirun");
  is_srun_ = std::filesystem::path(words_.front()).filename() == "srun";
}

void Launcher::place(RunRequest& request, const TrainingPattern& placed, const NodeTopology& node,
                     const std::vector<std::string>& program, const Variables& variables,
                     const std::filesystem::path& folder) const {
  const Plan plan = plan_for(placed, node);
  request.command = words_;
  request.variables = variables;
  const auto add = [&](std::initializer_list<std::string> words) {
    request.command.insert(request.command.end(), words);
  };
  const std::string ranks = fmt::format("{}", placed.ranks);
  if (is_srun_) {
    const std::filesystem::path file = std::filesystem::absolute(folder / "hostfile");
    put_out(slurm_host_file(plan, hosts_), file.string());
    request.variables.emplace_back("SLURM_HOSTFILE", file.string());
    std::string masks;
    for (const PuSet& slot : slots_of(placed.pattern, node))
      masks += fmt::format("{}{}", masks.empty() ? "" : ",", mask_of(slot));
    add({fmt::format("--nodes={}", placed.nodes), fmt::format("--ntasks={}", ranks),
         "--distribution=arbitrary", fmt::format("--cpu-bind=mask_cpu:{}", masks)});
  } else {
    const std::filesystem::path file = std::filesystem::absolute(folder / "rankfile");
    put_out(openmpi_rankfile(plan, hosts_), file.string());
    add({"--mca", "rmaps_rank_file_physical", "1", "--rankfile", file.string(), "-np", ranks});
    for (const auto& [name, value] : variables) add({"-x", name});
  }
  request.command.insert(request.command.end(), program.begin(), program.end());
}

std::vector<std::string> allocated_hosts() {
  const char* const nodes = std::getenv("SLURM_JOB_NODELIST");  // NOLINT(concurrency-mt-unsafe)
  if (nodes != nullptr && *nodes != '\0') {
    std::vector<std::string> hosts = lines_of("scontrol show hostnames \"$SLURM_JOB_NODELIST\"");
    if (hosts.empty())
      throw Error(fmt::format("scontrol does not say which hosts {} are: name them by --hosts",
                              shortened(nodes)));
    return hosts;
  }
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    throw SystemError("ask for", "this machine's name", errno);
  return {name.data()};
}

}  // namespace huddle
