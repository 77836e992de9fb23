#include "spank_plugin/submission/asked/aggregate_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"
#include "profiles/vocabulary/spelling.hpp"

namespace huddle::submission {
namespace {

/// Longer texts are no names and no paths (Linux' PATH_MAX).
constexpr std::size_t kLongestText = 4096;

/// A key; `store` says whether it could take the value.
struct Key {
  std::string_view name;
  std::string_view expected;
  bool (*store)(AggregateOption&, std::string_view);
};

template <class Value>
bool store(std::optional<Value>& target, std::optional<Value> value) {
  target = std::move(value);
  return target.has_value();
}

bool store_text(std::string& target, std::string_view value) {
  if (value.empty() || value.size() > kLongestText) return false;
  target = value;
  return true;
}

bool store_samples(AggregateOption& option, std::string_view value) {
  if (value != "1" && value != "2") return false;
  option.samples = value == "1" ? 1 : 2;
  return true;
}

bool store_nodes(AggregateOption& option, std::string_view value) {
  if (value != "keep" && value != "fewer") return false;
  option.nodes = value == "keep" ? NodesWish::kKeep : NodesWish::kFewer;
  return true;
}

bool store_energy(AggregateOption& option, std::string_view value) {
  if (value != "balance" && value != "plan") return false;
  option.balance = value == "balance";
  return true;
}

bool store_threads(AggregateOption& option, std::string_view value) {
  if (value != "auto" && value != "pack" && value != "keep") return false;
  option.threads = value != "keep";
  option.packs_threads = value == "pack";
  return true;
}

bool store_trace(AggregateOption& option, std::string_view value) {
  if (value != "on" && value != "off") return false;
  option.trace = value == "on";
  return true;
}

using Option = AggregateOption;
using Text = std::string_view;

constexpr std::array<Key, 12> kKeys = {{
    {"slowdown", "a share such as 3% or 0.03, from 0 to 1",
     [](Option& option, Text value) { return store(option.slowdown, parse_share(value)); }},
    {"objective", kObjectiveNames,
     [](Option& option, Text value) { return store(option.objective, objective_of(value)); }},
    {"nodes", "keep or fewer", store_nodes},
    {"samples", "1 or 2", store_samples},
    {"label", "a name of 1 to 4096 bytes, without commas",
     [](Option& option, Text value) { return store_text(option.label, value); }},
    {"profile", "the path of a profile, without commas",
     [](Option& option, Text value) { return store_text(option.profile, value); }},
    {"plan", "the path of a plan, without commas",
     [](Option& option, Text value) { return store_text(option.plan, value); }},
    {"frequency", kFrequencyWishes,
     [](Option& option, Text value) {
       return store(option.frequency, parse_frequency_wish(value));
     }},
    {"trace", "on or off", store_trace},
    {"energy", "balance or plan", store_energy},
    {"threads", "auto, pack or keep", store_threads},
    {"size", kProblemSizes,
     [](Option& option, Text value) { return store(option.size, parse_problem_size(value)); }},
}};

std::string key_names() {
  std::string names;
  for (const Key& key : kKeys) names += fmt::format("{}{}=", names.empty() ? "" : ", ", key.name);
  return names;
}

// "slowdown=" of "slowdwon=3%".
std::string meant_by(std::string_view word) {
  const std::size_t equals = word.find('=');
  std::vector<std::string_view> names = {"off", "profile", "advise", "auto"};
  if (equals != std::string_view::npos) {
    names.clear();
    for (const Key& key : kKeys) names.push_back(key.name);
  }
  const std::string_view nearest = nearest_word(word.substr(0, equals), names);
  if (nearest.empty()) return {};
  return fmt::format(" ({}{}?)", nearest, equals == std::string_view::npos ? "" : "=");
}

[[noreturn]] void fail_word(std::string_view source, std::string_view word) {
  throw UsageError(
      fmt::format("{}: \"{}\" is not known{}, it takes {}, and behind it, parted by commas, {}",
                  source, shortened(word), meant_by(word), kModeNames, key_names()));
}

void read_key(std::string_view item, std::string_view source, AggregateOption& option,
              std::array<bool, kKeys.size()>& seen) {
  const std::size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  const auto* const key =
      std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& each) { return each.name == name; });
  if (key == kKeys.end() || equals == std::string_view::npos) fail_word(source, item);
  bool& here = seen[static_cast<std::size_t>(key - kKeys.begin())];
  if (std::exchange(here, true))
    throw UsageError(fmt::format("{}: {} is there twice, say it once", source, name));
  const std::string_view value = item.substr(equals + 1);
  if (!key->store(option, value))
    throw UsageError(fmt::format("{}: {}={} is not understood, {} takes {}", source, name,
                                 shortened(value), name, key->expected));
}

[[noreturn]] void fail_together(std::string_view source, std::string_view one,
                                std::string_view other, std::string_view reason) {
  throw UsageError(
      fmt::format("{}: {} and {} contradict each other: {}", source, one, other, reason));
}

void check_plan(const AggregateOption& option, std::string_view source) {
  constexpr std::string_view kMade = "the plan is made already";
  if (option.plan.empty()) return;
  if (!option.profile.empty()) fail_together(source, "plan=", "profile=", kMade);
  if (option.slowdown) fail_together(source, "plan=", "slowdown=", kMade);
  if (option.objective) fail_together(source, "plan=", "objective=", kMade);
  if (option.samples) fail_together(source, "plan=", "samples=", kMade);
  if (option.nodes == NodesWish::kKeep)
    fail_together(source, "plan=", "nodes=keep", "the plan says how many nodes are used");
  if (option.mode == Mode::kProfile || option.mode == Mode::kAdvise)
    fail_together(source, "plan=", name_of(*option.mode), "a plan of your own is followed");
}

}  // namespace

AggregateOption parse_aggregate_option(std::string_view text, std::string_view source) {
  AggregateOption option;
  option.given = true;
  std::array<bool, kKeys.size()> seen{};
  for (bool first = true; first ? !text.empty() : true; first = false) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    if (first && item.find('=') == std::string_view::npos) {
      option.mode = mode_of(item);
      if (!option.mode) fail_word(source, item);
    } else {
      read_key(item, source, option, seen);
    }
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  check_plan(option, source);
  if (option.mode == Mode::kProfile && !option.profile.empty())
    fail_together(source, "profile", "profile=", "a run that is only measured follows no profile");
  if (option.trace == true && option.mode && option.mode != Mode::kProfile)
    fail_together(source, "trace=on", name_of(*option.mode), "a run is traced with mode profile");
  return option;
}

AggregateOption AggregateOption::with_defaults(const AggregateOption& defaults) const {
  AggregateOption both = *this;
  both.given = given || defaults.given;
  if (!both.mode) both.mode = defaults.mode;
  if (!both.slowdown) both.slowdown = defaults.slowdown;
  if (!both.objective) both.objective = defaults.objective;
  if (!both.nodes) both.nodes = defaults.nodes;
  if (!both.samples) both.samples = defaults.samples;
  if (both.label.empty()) both.label = defaults.label;
  if (!both.frequency) both.frequency = defaults.frequency;
  if (!both.trace) both.trace = defaults.trace;
  if (!both.balance) both.balance = defaults.balance;
  if (!both.threads) {
    both.threads = defaults.threads;
    both.packs_threads = defaults.packs_threads;
  }
  if (!both.size) both.size = defaults.size;
  if (both.plan.empty() && both.profile.empty()) {
    both.plan = defaults.plan;
    both.profile = defaults.profile;
  }
  return both;
}

}  // namespace huddle::submission
