#include "spank_plugin/charm/energy_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/frequency.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::charm {
namespace {

/// A decimal number from `least` to `most`; with a sign of percent behind it, hundredths.
std::optional<double> number_in(std::string_view text, double least, double most) {
  double scale = 1;
  if (!text.empty() && text.back() == '%') {
    scale = 0.01;
    text.remove_suffix(1);
  }
  const double number = huddle::number_in<double>(text).value_or(NAN) * scale;
  if (!(number >= least && number <= most)) return std::nullopt;
  return number;
}

bool store_number(double& target, std::string_view value, double least, double most) {
  const std::optional<double> number = number_in(value, least, most);
  if (number) target = *number;
  return number.has_value();
}

bool store_balancer(EnergyOptions& options, std::string_view value) {
  for (const ChareBalancer balancer :
       {ChareBalancer::kNone, ChareBalancer::kGreedy, ChareBalancer::kRefine,
        ChareBalancer::kGreedyComm, ChareBalancer::kRefineComm})
    if (value == name_of(balancer)) {
      options.settings.balancer = balancer;
      return true;
    }
  return false;
}

bool store_grain(EnergyOptions& options, std::string_view value) {
  constexpr std::array<std::pair<std::string_view, ClockGrain>, 3> kGrains = {
      {{"machine", ClockGrain::kMachine},
       {"fine", ClockGrain::kFine},
       {"coarse", ClockGrain::kCoarse}}};
  for (const auto& [name, grain] : kGrains)
    if (value == name) {
      options.grain = grain;
      return true;
    }
  return false;
}

bool store_clocks(EnergyOptions& options, std::string_view value) {
  std::vector<Hertz> clocks;
  while (true) {
    const std::size_t slash = value.find('/');
    const std::optional<Hertz> clock = parse_frequency(value.substr(0, slash));
    if (!clock) return false;
    clocks.push_back(*clock);
    if (slash == std::string_view::npos) break;
    value.remove_prefix(slash + 1);
  }
  options.clocks = std::move(clocks);
  return true;
}

bool store_patience(EnergyOptions& options, std::string_view value) {
  double patience = 0;
  if (!store_number(patience, value, 1, 64) || patience != static_cast<int>(patience)) return false;
  options.settings.patience = static_cast<std::uint32_t>(patience);
  return true;
}

bool store_sensitivity(EnergyOptions& options, std::string_view value) {
  const bool learn = value == "learn";
  if (!learn && !store_number(options.sensitivity, value, 0, 1)) return false;
  options.settings.learn_sensitivity = learn;
  return true;
}

/// A key; `store` says whether it could take the value.
struct EnergyKey {
  std::string_view name;
  std::string_view expected;
  bool (*store)(EnergyOptions&, std::string_view);
};

constexpr std::array<EnergyKey, 7> kEnergyKeys = {{
    {"balancer", "none, greedy, refine, greedy_comm or refine_comm", store_balancer},
    {"worthwhile", "a share such as 5% or 0.05, from 0 to 1",
     [](EnergyOptions& options, std::string_view value) {
       return store_number(options.settings.worthwhile, value, 0, 1);
     }},
    {"grain", "machine, fine or coarse", store_grain},
    {"clocks", "clocks parted by slashes, such as 1.2GHz/1.8GHz/2.4GHz", store_clocks},
    {"sensitivity", "learn, or a share such as 80% or 0.8, from 0 to 1", store_sensitivity},
    {"patience", "a number of balance points, from 1 to 64", store_patience},
    {"lease", "a number of intervals, from 0 to 1000",
     [](EnergyOptions& options, std::string_view value) {
       return store_number(options.settings.lease, value, 0, 1000);
     }},
}};

std::string energy_key_names() {
  std::string names;
  for (const EnergyKey& key : kEnergyKeys)
    names += fmt::format("{}{}=", names.empty() ? "" : ", ", key.name);
  return names;
}

}  // namespace

void read_energy_options(std::string_view text, std::string_view source, EnergyOptions& options) {
  EnergyOptions read = options;
  std::array<bool, kEnergyKeys.size()> seen{};
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view item = trimmed(text.substr(0, comma));
    const std::size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    const auto* const key = std::find_if(kEnergyKeys.begin(), kEnergyKeys.end(),
                                         [&](const EnergyKey& each) { return each.name == name; });
    if (key == kEnergyKeys.end() || equals == std::string_view::npos)
      throw UsageError(fmt::format("{}: \"{}\" is not known, it takes, parted by commas, {}",
                                   source, shortened(item), energy_key_names()));
    if (std::exchange(seen[static_cast<std::size_t>(key - kEnergyKeys.begin())], true))
      throw UsageError(fmt::format("{}: {} is there twice, say it once", source, name));
    const std::string_view value = item.substr(equals + 1);
    if (!key->store(read, value))
      throw UsageError(fmt::format("{}: {}={} is not understood, {} takes {}", source, name,
                                   shortened(value), name, key->expected));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  options = std::move(read);
}

}  // namespace huddle::charm
