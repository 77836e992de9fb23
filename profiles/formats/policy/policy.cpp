#include "profiles/formats/policy/policy.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "profiles/files/installation.hpp"

namespace huddle {
namespace {

// From the last to the first, so that the first one's defaults stay.
void take_all(Policy& policy, const std::map<std::string, ScopeRules, std::less<>>& scopes,
              const std::vector<std::string>& names) {
  for (auto name = names.rbegin(); name != names.rend(); ++name)
    if (const auto scope = scopes.find(*name); scope != scopes.end()) policy.take(scope->second);
}

// A refusal must hold whatever else grants, such as for a partition whose cores are shared.
bool granted(bool by_site, const std::vector<const ScopeRules*>& scopes) {
  bool allowed = by_site;
  for (const ScopeRules* scope : scopes) {
    if (!scope->frequency_control.value_or(true)) return false;
    allowed = allowed || scope->frequency_control.has_value();
  }
  return allowed;
}

using ScopesByName = std::map<std::string, ScopeRules, std::less<>>;

void add_named(const ScopesByName& scopes, const std::vector<std::string>& names,
               std::vector<const ScopeRules*>& found) {
  for (const std::string& name : names)
    if (const auto scope = scopes.find(name); scope != scopes.end())
      found.push_back(&scope->second);
}

template <class Property>
bool any_of_scopes(const ScopesByName& scopes, Property property) {
  return std::any_of(scopes.begin(), scopes.end(),
                     [&](const auto& scope) { return property(scope.second); });
}

void cut_defaults_to_limits(Policy& policy) {
  if (policy.limits.slowdown) policy.slowdown = std::min(policy.slowdown, *policy.limits.slowdown);
  if (policy.frequency.kind != FrequencyWish::Kind::kRange || !policy.limits.frequency) return;
  const FrequencyRange range = common_part(policy.frequency.range, *policy.limits.frequency);
  policy.frequency =
      range.empty() ? FrequencyWish{} : FrequencyWish{FrequencyWish::Kind::kRange, range};
}

constexpr std::array<std::string_view, kModeCount> kModes = {"off", "profile", "advise", "auto"};
constexpr std::array<std::string_view, 3> kObjectives = {"energy", "edp", "time"};
constexpr std::array<std::string_view, 2> kExplores = {"no", "trial"};
constexpr std::array<std::string_view, 4> kRecordsPacked = {"always", "sometimes", "when needed",
                                                            "never"};
constexpr std::array<std::string_view, 3> kReaders = {"owner", "group", "all"};

template <class Word, std::size_t kSize>
std::optional<Word> word_of(const std::array<std::string_view, kSize>& names,
                            std::string_view name) {
  for (std::size_t i = 0; i < kSize; ++i)
    if (name == names[i]) return static_cast<Word>(i);
  return std::nullopt;
}

}  // namespace

std::optional<Mode> mode_of(std::string_view name) {
  return word_of<Mode>(kModes, name);
}

std::string_view name_of(Mode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

std::optional<Objective> objective_of(std::string_view name) {
  return word_of<Objective>(kObjectives, name);
}

std::string_view name_of(Objective objective) {
  return kObjectives[static_cast<std::size_t>(objective)];
}

std::optional<Explore> explore_of(std::string_view name) {
  return word_of<Explore>(kExplores, name);
}

std::string_view name_of(Explore explore) {
  return kExplores[static_cast<std::size_t>(explore)];
}

std::optional<RecordPacked> record_packed_of(std::string_view name) {
  return word_of<RecordPacked>(kRecordsPacked, name);
}

std::string_view name_of(RecordPacked record) {
  return kRecordsPacked[static_cast<std::size_t>(record)];
}

std::optional<Readers> readers_of(std::string_view name) {
  return word_of<Readers>(kReaders, name);
}

std::string Limits::allowed_modes() const {
  std::string names;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (!modes[i]) continue;
    if (!names.empty()) names += ", ";
    names += name_of(static_cast<Mode>(i));
  }
  return names;
}

Limits Limits::combined_with(const Limits& other) const {
  Limits both = *this;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    both.modes[i] = modes[i] && other.modes[i];
    if (modes[i]) both.forbidden_by[i] = other.forbidden_by[i];
  }
  if (other.slowdown) both.slowdown = std::min(slowdown.value_or(1), *other.slowdown);
  if (other.frequency)
    both.frequency = frequency ? common_part(*frequency, *other.frequency) : *other.frequency;
  both.least_nodes = std::max(least_nodes, other.least_nodes);
  if (other.higher_charge)
    both.higher_charge = higher_charge.value_or(true) && *other.higher_charge;
  return both;
}

Policy Policy::defaults() {
  Policy policy;
  const files::Installation here = files::installation();
  policy.huddle = here.command;
  policy.take_modules(here.modules);
  return policy;
}

void Policy::take_modules(const std::filesystem::path& folder) {
  recorder = folder / "libhuddle_recorder.so";
  mpirun_helper = folder / "mca_schizo_huddle.so";
  clocks = folder / "huddle_clocks";
  courier = folder / "huddle_courier";
}

void Policy::take(const ScopeRules& rules) {
  mode = rules.mode.value_or(mode);
  slowdown = rules.slowdown.value_or(slowdown);
  whole_interval = rules.whole_interval.value_or(whole_interval);
  objective = rules.objective.value_or(objective);
  explore = rules.explore.value_or(explore);
  frequency = rules.frequency.value_or(frequency);
  limits = limits.combined_with(rules.limits);
}

Policy Policy::for_submitter(const SubmitterIdentity& submitter) const {
  Policy policy = *this;
  take_all(policy, partitions, submitter.partitions);
  take_all(policy, accounts, {submitter.account});
  take_all(policy, groups, submitter.groups);
  std::vector<const ScopeRules*> of_submitter;
  add_named(accounts, {submitter.account}, of_submitter);
  add_named(groups, submitter.groups, of_submitter);
  const auto granted_in = [&](const std::vector<std::string>& partition) {
    std::vector<const ScopeRules*> scopes = of_submitter;
    add_named(partitions, partition, scopes);
    return granted(frequency_control, scopes);
  };
  policy.frequency_control =
      submitter.partitions.empty()
          ? granted_in({})
          : std::all_of(submitter.partitions.begin(), submitter.partitions.end(),
                        [&](const std::string& name) { return granted_in({name}); });
  cut_defaults_to_limits(policy);
  policy.partitions.clear();
  policy.accounts.clear();
  policy.groups.clear();
  return policy;
}

bool Policy::acts_unasked() const {
  const auto acts = [](const ScopeRules& rules) {
    return rules.mode.value_or(Mode::kOff) != Mode::kOff;
  };
  return mode != Mode::kOff || any_of_scopes(partitions, acts) || any_of_scopes(accounts, acts) ||
         any_of_scopes(groups, acts);
}

bool Policy::grants_frequencies() const {
  const auto grants = [](const ScopeRules& rules) {
    return rules.frequency_control.value_or(false);
  };
  return frequency_control || any_of_scopes(partitions, grants) ||
         any_of_scopes(accounts, grants) || any_of_scopes(groups, grants);
}

bool Policy::frequencies_depend_on_job() const {
  const auto matters = [](const ScopeRules& rules) {
    return rules.frequency_control || rules.limits.frequency;
  };
  return any_of_scopes(partitions, matters) || any_of_scopes(accounts, matters);
}

std::optional<double> parse_share(std::string_view text) {
  double scale = 1;
  if (text.ends_with('%')) {
    scale = 0.01;
    text.remove_suffix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
  }
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  value *= scale;
  if (!std::isfinite(value) || value < 0 || value > 1) return std::nullopt;
  return value;
}

}  // namespace huddle
