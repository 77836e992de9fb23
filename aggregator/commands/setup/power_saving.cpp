#include "aggregator/commands/setup/power_saving.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <tuple>
#include <utility>

namespace huddle::cli {
namespace {

using Words = std::map<std::string, std::string, std::less<>>;

// "NAME=VALUE" of a line; the first of a name counts, and texts of several words are cut.
Words words_of(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;)
    if (const std::size_t sign = word.find('='); sign != std::string::npos)
      words.emplace(word.substr(0, sign), word.substr(sign + 1));
  return words;
}

std::string value_of(const Words& words, std::string_view name) {
  const auto found = words.find(name);
  return found == words.end() ? std::string() : found->second;
}

// Parts between commas that are in no brackets.
std::vector<std::string> listed(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  std::erase(parts, "");
  return parts;
}

// "300", "300 sec"; nothing of NONE, INFINITE and -1, which are never.
std::optional<Seconds> suspend_time(std::string_view text) {
  unsigned seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failure != std::errc{} || end == text.data()) return std::nullopt;
  return Seconds{static_cast<double>(seconds)};
}

std::vector<std::string> kept_of(
    std::string list, const std::function<std::string(const std::string& list)>& expand) {
  std::optional<Seconds> number;
  if (const std::size_t colon = list.rfind(':'); colon != std::string::npos) {
    number = suspend_time(list.substr(colon + 1));
    list.resize(colon);
  }
  std::istringstream stream(expand(list));
  std::vector<std::string> names;
  for (std::string name; stream >> name;) names.push_back(name);
  if (number && number->value < static_cast<double>(names.size()))
    names.resize(static_cast<std::size_t>(number->value));
  return names;
}

std::vector<std::string> partitions_of(const PowerSaving& saving, const std::string& node) {
  const auto found = saving.partitions_of.find(node);
  return found == saving.partitions_of.end() ? std::vector<std::string>() : found->second;
}

UnusedNode fate_of(const PowerSaving& saving, const std::string& node) {
  if (saving.kept_nodes.contains(node)) return {};
  std::optional<std::optional<Seconds>> own;
  for (const std::string& partition : partitions_of(saving, node)) {
    if (saving.kept_partitions.contains(partition)) return {};
    const auto found = saving.partitions.find(partition);
    if (found == saving.partitions.end()) continue;
    const std::optional<Seconds>& time = found->second;
    if (!own)
      own = time;
    else if (!time || !*own)
      own = std::optional<Seconds>();
    else
      own = std::max(**own, *time);
  }
  const std::optional<Seconds> after = own ? *own : saving.sleeps_after;
  if (!after) return {};
  return {NodeFate::kSleeps, *after};
}

}  // namespace

PowerSaving power_saving_of(const doctor::SlurmSettings& settings, std::string_view partitions,
                            std::string_view nodes,
                            const std::function<std::string(const std::string& list)>& expand) {
  PowerSaving saving;
  std::istringstream of_nodes{std::string(nodes)};
  for (std::string line; std::getline(of_nodes, line);) {
    const Words words = words_of(line);
    saving.partitions_of[value_of(words, "NodeName")] = listed(value_of(words, "Partitions"));
  }
  if (settings.get("SuspendProgram").empty()) return saving;
  saving.sleeps_after = suspend_time(settings.get("SuspendTime"));
  std::istringstream of_partitions{std::string(partitions)};
  for (std::string line; std::getline(of_partitions, line);) {
    const Words words = words_of(line);
    const std::string time = value_of(words, "SuspendTime");
    if (!time.empty() && time != "GLOBAL")
      saving.partitions[value_of(words, "PartitionName")] = suspend_time(time);
  }
  for (const std::string& name : listed(settings.get("SuspendExcParts")))
    saving.kept_partitions.insert(name);
  for (const std::string& list : listed(settings.get("SuspendExcNodes")))
    for (std::string& name : kept_of(list, expand)) saving.kept_nodes.insert(std::move(name));
  return saving;
}

UnusedNodes unused_nodes_of(const PowerSaving& saving, const std::vector<std::string>& nodes) {
  const auto key = [](const UnusedGroup& group) {
    return std::tuple(group.fate, group.sleeps_after, group.partitions);
  };
  UnusedNodes unused;
  for (const std::string& node : nodes) {
    UnusedGroup group;
    static_cast<UnusedNode&>(group) = fate_of(saving, node);
    group.partitions = partitions_of(saving, node);
    const auto same = std::ranges::find_if(
        unused.groups, [&](const UnusedGroup& other) { return key(other) == key(group); });
    if (same != unused.groups.end())
      ++same->nodes;
    else
      unused.groups.push_back(std::move(group));
  }
  const auto most = std::ranges::max_element(unused.groups, {}, &UnusedGroup::nodes);
  if (most != unused.groups.end()) static_cast<UnusedNode&>(unused) = *most;
  const bool are_alike = std::ranges::all_of(unused.groups, [&](const UnusedGroup& group) {
    return static_cast<const UnusedNode&>(group) == static_cast<const UnusedNode&>(unused);
  });
  if (are_alike) unused.groups.clear();
  const bool some_sleep = unused.fate == NodeFate::kSleeps || !unused.groups.empty();
  unused.origin = some_sleep ? Origin::kGiven : Origin::kAssumed;
  unused.source = some_sleep ? "SuspendTime and its exceptions in slurm.conf"
                             : "Slurm powers no node down; that other jobs get them is assumed";
  return unused;
}

}  // namespace huddle::cli
