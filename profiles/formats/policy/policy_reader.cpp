#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/policy/missing_quote.hpp"
#include "profiles/formats/policy/node_words.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/formats/policy/removed_keys.hpp"
#include "profiles/formats/policy/throwing_toml.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/spelling.hpp"

namespace huddle {
namespace {

constexpr std::uint64_t kMostPolicyBytes = std::uint64_t{1} << 20U;
constexpr std::ptrdiff_t kMostDots = 64;

/// The place that a key's value goes to; `store` says whether it could be taken.
struct Key {
  std::function<bool(const toml::node&)> store;
  std::string_view expected;
};

// A relative path would mean another place for each directory that a job is submitted from.
Key path_key(std::string& target, std::string_view expected, bool home_allowed = false) {
  return {[&target, home_allowed](const toml::node& node) {
            const auto value = node.value_exact<std::string>();
            if (!value || !(value->starts_with('/') || (home_allowed && value->starts_with("~/"))))
              return false;
            target = *value;
            return true;
          },
          expected};
}

bool store_user(const toml::node& node, std::string& target) {
  constexpr std::size_t kLongest = 64;
  const auto name = node.value_exact<std::string>().value_or("");
  if (std::none_of(name.begin(), name.end(), [](char letter) { return letter <= ' '; }))
    target = name;
  return !name.empty() && name.size() <= kLongest && target == name;
}

bool store_slowdown(const toml::node& node, double& target) {
  std::optional<double> share;
  if (const auto text = node.value_exact<std::string>())
    share = parse_share(*text);
  else if (node.is_number())
    share = node.value<double>();
  if (!share || !std::isfinite(*share) || *share < 0 || *share > 1) return false;
  target = *share;
  return true;
}

std::optional<double> number_within(const toml::node& node, double least, double most) {
  const auto number = node.is_number() ? node.value<double>() : std::nullopt;
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

bool store_period(const toml::node& node, Seconds& target) {
  const auto number = number_within(node, 0.02, 60);
  if (number) target = {*number};
  return number.has_value();
}

bool store_currency(const toml::node& node, std::string& target) {
  constexpr std::size_t kLongest = 8;
  const auto name = node.value_exact<std::string>().value_or("");
  if (name.empty() || name.size() > kLongest) return false;
  if (!std::ranges::all_of(name,
                           [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }))
    return false;
  target = name;
  return true;
}

Key rate_key(std::optional<double>& target) {
  return {[&target](const toml::node& node) {
            target = number_within(node, 0, 1e9);
            return target.has_value();
          },
          "a number, 0 or more"};
}

bool store_flag(const toml::node& node, bool& target) {
  const auto flag = node.value_exact<bool>();
  if (flag) target = *flag;
  return flag.has_value();
}

bool store_flag(const toml::node& node, std::optional<bool>& target) {
  bool flag = false;
  if (!store_flag(node, flag)) return false;
  target = flag;
  return true;
}

template <class Flag>
Key flag_key(Flag& target) {
  return {[&target](const toml::node& node) { return store_flag(node, target); }, "true or false"};
}

Key text_key(std::string& target, std::string_view expected) {
  return {[&target](const toml::node& node) {
            target = node.value_exact<std::string>().value_or("");
            return !target.empty();
          },
          expected};
}

// A key that says if something may be, and if it is for jobs that say nothing about it.
Key consent_key(bool& allowed, bool& by_default) {
  return {[&](const toml::node& node) {
            by_default = node.value_exact<std::string>() == "by default";
            if (by_default) allowed = true;
            return by_default || store_flag(node, allowed);
          },
          "true, false or \"by default\""};
}

// A whole number from `least` to `most`.
template <class Number>
bool store_number(const toml::node& node, Number& target, std::int64_t least, std::int64_t most) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || *number < least || *number > most) return false;
  target = static_cast<Number>(*number);
  return true;
}

// A text that `parse` makes something of.
template <class Value, class Parse>
bool store_text(const toml::node& node, Value& target, Parse parse) {
  const auto text = node.value_exact<std::string>();
  if (!text) return false;
  auto value = parse(*text);
  if (value) target = std::move(*value);
  return value.has_value();
}

std::optional<bool> whole_interval_of(std::string_view risk) {
  if (risk != "point" && risk != "interval") return std::nullopt;
  return risk == "interval";
}

bool store_modes(const toml::node& node, Limits& limits) {
  const toml::array* names = node.as_array();
  if (names == nullptr) return false;
  limits.modes = {true};  // off
  for (const toml::node& entry : *names) {
    Mode mode{};
    if (!store_text(entry, mode, mode_of)) return false;
    limits.modes[static_cast<std::size_t>(mode)] = true;
  }
  return true;
}

using Keys = std::map<std::string, Key, std::less<>>;
constexpr std::string_view kShare = "a share such as \"5%\" or 0.05, from 0 to 1";

// Returns the keys that the site and each partition, account and group may have.
Keys keys_of(ScopeRules& rules) {
  constexpr std::int64_t kMostNodes = std::numeric_limits<std::int32_t>::max();
  const auto store_share = [](const toml::node& node, std::optional<double>& target) {
    double share = 0;
    if (!store_slowdown(node, share)) return false;
    target = share;
    return true;
  };
  return {
      {"mode",
       {[&](const toml::node& node) { return store_text(node, rules.mode, mode_of); }, kModeNames}},
      {"slowdown",
       {[&, store_share](const toml::node& node) { return store_share(node, rules.slowdown); },
        kShare}},
      {"risk",
       {[&](const toml::node& node) {
          return store_text(node, rules.whole_interval, whole_interval_of);
        },
        "\"point\" or \"interval\""}},
      {"objective",
       {[&](const toml::node& node) { return store_text(node, rules.objective, objective_of); },
        kObjectiveNames}},
      {"explore",
       {[&](const toml::node& node) { return store_text(node, rules.explore, explore_of); },
        kExploreNames}},
      {"frequency.policy",
       {[&](const toml::node& node) {
          return store_text(node, rules.frequency, parse_frequency_wish);
        },
        kFrequencyWishes}},
      {"frequency.control", flag_key(rules.frequency_control)},
      {"limits.modes",
       {[&](const toml::node& node) { return store_modes(node, rules.limits); },
        "an array of off, profile, advise and auto"}},
      {"limits.slowdown",
       {[&, store_share](const toml::node& node) {
          return store_share(node, rules.limits.slowdown);
        },
        kShare}},
      {"limits.frequency",
       {[&](const toml::node& node) {
          return store_text(node, rules.limits.frequency, parse_frequency_range);
        },
        "a range such as \"1.2GHz-2.4GHz\""}},
      {"limits.least_nodes",
       {[&](const toml::node& node) {
          return store_number(node, rules.limits.least_nodes, 1, kMostNodes);
        },
        "a whole number, 1 or more"}},
      {"limits.higher_charge", flag_key(rules.limits.higher_charge)},
  };
}

Keys keys_of(SiteRates& rates) {
  return {
      {"report.currency",
       {[&](const toml::node& node) { return store_currency(node, rates.currency); },
        "the name of a currency, up to 8 letters"}},
      {"report.node_hour_price", rate_key(rates.node_hour_price)},
      {"report.kwh_price", rate_key(rates.kwh_price)},
      {"report.co2_g_per_kwh", rate_key(rates.co2_g_per_kwh)},
  };
}

// Returns the keys that only the site as a whole has.
Keys keys_of(Policy& policy) {
  constexpr std::int64_t kMostDays = 36'500;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
  constexpr std::uint64_t kBytesOfFile = 1'000'000;
  return {
      {"enabled", flag_key(policy.enabled)},
      {"measure", flag_key(policy.measure)},
      {"withdraw", flag_key(policy.withdraw)},
      {"control",
       {[&](const toml::node& node) {
          return store_slowdown(node, policy.control) && policy.control <= 0.5;
        },
        "a share such as \"5%\" or 0.05, from 0 to 0.5"}},
      {"control_seed", text_key(policy.control_seed, "a text")},
      {"record",
       {[&](const toml::node& node) { return store_text(node, policy.record, record_packed_of); },
        kRecordPackedNames}},
      {"messages.in_steps", flag_key(policy.messages_in_steps)},
      {"frequency.journal",
       path_key(policy.frequency_journal, "the absolute path of a directory of each node")},
      {"frequency.balance", consent_key(policy.frequency_balance, policy.balance_by_default)},
      {"frequency.keeper_user",
       {[&](const toml::node& node) { return store_user(node, policy.keeper_user); },
        "the name of a user"}},
      {"threads.allow", consent_key(policy.threads_allowed, policy.threads_by_default)},
      {"energy.readers", text_key(policy.energy_readers, "root, all or the name of a group")},
      {"energy.period",
       {[&](const toml::node& node) { return store_period(node, policy.energy_period); },
        "a number of seconds from 0.02 to 60"}},
      {"energy.metrics",
       path_key(policy.energy_metrics, "the absolute path of a file for Prometheus")},
      {"profiles.samples",
       {[&](const toml::node& node) { return store_number(node, policy.samples, 1, 2); },
        "1 or 2"}},
      {"profiles.sample_slowdown",
       {[&](const toml::node& node) { return store_slowdown(node, policy.sample_slowdown); },
        kShare}},
      {"profiles.directory",
       path_key(policy.profiles_directory, "a directory whose path begins with / or ~/", true)},
      {"profiles.by_script", flag_key(policy.by_script)},
      {"profiles.readable_by",
       {[&](const toml::node& node) { return store_text(node, policy.readers, readers_of); },
        kReadersNames}},
      {"profiles.keep_days",
       {[&](const toml::node& node) { return store_number(node, policy.keep_days, 0, kMostDays); },
        "a whole number of days, 0 for ever"}},
      {"profiles.quota_bytes",
       {[&](const toml::node& node) {
          if (!store_number(node, policy.quota.value, 0, kMostBytes)) return false;
          policy.quota_files = (policy.quota.value + kBytesOfFile - 1) / kBytesOfFile;
          return true;
        },
        "a whole number of bytes for each user, 0 for any"}},
      {"machine.file", path_key(policy.machine_file, "the absolute path of a machine document")},
      {"machine.model", path_key(policy.model_file, "the absolute path of a model document")},
      {"programs.huddle", path_key(policy.huddle, "the absolute path of the huddle command")},
      {"programs.modules",
       {[&](const toml::node& node) {
          const auto folder = node.value_exact<std::string>().value_or("");
          if (folder.starts_with('/')) policy.take_modules(folder);
          return folder.starts_with('/');
        },
        "the absolute path of the folder of libhuddle_recorder.so"}},
  };
}

[[noreturn]] void refuse_unknown(const std::string& place, std::string_view key,
                                 std::string_view file, const Keys& keys) {
  for (const RemovedKey& removed : kRemovedKeys)
    if (removed.name == key)
      throw FormatError(file, place, "a key of an earlier version", removed.replacement);
  std::vector<std::string_view> names;
  for (const auto& [name, reader] : keys) names.push_back(name);
  const std::string_view meant = nearest_word(key, names);
  throw FormatError(file, place, "an unknown key",
                    meant.empty() ? "a key of huddle.toml(5)"
                                  : fmt::format("a key of huddle.toml(5): {}?", meant));
}

const toml::table& as_table(const toml::node& node, std::string_view key, std::string_view file) {
  if (!node.is_table()) throw FormatError(file, place_of(node, key), found_in(node), "a table");
  return *node.as_table();
}

// `place` is in front of the keys in errors, `prefix` in front of them in `keys`.
void read_table(const toml::table& table, const std::string& place, const std::string& prefix,
                std::string_view file, const Keys& keys) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const auto known = keys.find(key); known != keys.end()) {
      if (!known->second.store(node))
        throw FormatError(file, place_of(node, place + key), found_in(node),
                          known->second.expected);
      continue;
    }
    const auto inside = keys.lower_bound(key + ".");
    if (inside == keys.end() || !inside->first.starts_with(key + "."))
      refuse_unknown(place_of(node, place + key), key, file, keys);
    read_table(as_table(node, place + key, file), place, key + ".", file, keys);
  }
}

using Scopes = std::map<std::string, ScopeRules, std::less<>>;

// [partition.NAME] and the like: takes the table out of the site's own keys.
void read_scopes(toml::table& site, std::string_view kind, std::string_view file, Scopes& scopes) {
  const toml::node* all = site.get(kind);
  if (all == nullptr) return;
  for (const auto& [name, node] : as_table(*all, kind, file)) {
    const std::string place = fmt::format("{}.{}", kind, name.str());
    ScopeRules& rules = scopes[std::string(name.str())];
    read_table(as_table(node, place, file), place + ".", "", file, keys_of(rules));
    for (std::size_t i = 0; i < kModeCount; ++i)
      if (!rules.limits.modes[i])
        rules.limits.forbidden_by[i] = fmt::format("{} {}", kind, name.str());
  }
  site.erase(kind);
}

Policy read_policy(toml::table table, std::string_view file) {
  Policy policy = Policy::defaults();
  read_scopes(table, "partition", file, policy.partitions);
  read_scopes(table, "account", file, policy.accounts);
  read_scopes(table, "group", file, policy.groups);
  ScopeRules site;
  Keys keys = keys_of(policy);
  keys.merge(keys_of(site));
  keys.merge(keys_of(policy.rates));
  read_table(table, "", "", file, keys);
  policy.take(site);
  policy.frequency_control = site.frequency_control.value_or(false);
  return policy;
}

// toml++ takes tables apart recursively, so a key of a great many parts would exhaust the stack.
void check_dots(std::string_view text, std::string_view file) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view content = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(content.size() + 1, text.size()));
    const auto dots = std::count(content.begin(), content.end(), '.');
    if (dots > kMostDots && !content.starts_with('#'))
      throw FormatError(file, fmt::format("line {}", line), fmt::format("{} dots", dots),
                        fmt::format("at most {} in a line", kMostDots));
  }
}

}  // namespace

Policy parse_policy(std::string_view text, std::string_view file) {
  check_dots(text, file);
  try {
    return read_policy(toml::parse(text), file);
  } catch (const toml::parse_error& error) {
    refuse_missing_quote(text, file, error.source().begin.line);
    throw FormatError(
        file,
        fmt::format("line {}, column {}", error.source().begin.line, error.source().begin.column),
        error.description(), "TOML");
  } catch (const TomlAssertion&) {
    throw FormatError(file, "the file", "a key or the name of a table that can't be read", "TOML");
  }
}

Policy load_policy(const std::filesystem::path& path) {
  return parse_policy(files::read_file(path, kMostPolicyBytes), path.string());
}

}  // namespace huddle
