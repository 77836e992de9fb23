#include "spank_plugin/submission/job_terms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

void agree_on_slowdown(const AggregateOption& option, const Policy& policy, JobTerms& terms) {
  terms.slowdown = option.slowdown.value_or(policy.slowdown);
  const std::optional<double>& limit = policy.limits.slowdown;
  if (!limit || terms.slowdown <= *limit) return;
  if (option.slowdown)
    terms.remarks.push_back(fmt::format("slowdown {:.4g} % cut to the site's limit of {:.4g} %",
                                        terms.slowdown * 100, *limit * 100));
  terms.slowdown = *limit;
}

// What the user may be told; the site's own default is silently what can be.
void agree_on_frequency(const AggregateOption& option, const Policy& policy, JobTerms& terms) {
  using Kind = FrequencyWish::Kind;
  const bool asked = option.frequency && option.frequency->kind != Kind::kKeep;
  const auto keep = [&](std::string_view why) {
    terms.frequency = {};
    if (asked) terms.remarks.push_back(fmt::format("frequencies are kept: {}", why));
  };
  terms.frequency = option.frequency.value_or(policy.frequency);
  terms.frequency_limit = policy.limits.frequency;
  if (terms.frequency.kind == Kind::kKeep) return;
  if (!policy.frequency_control) return keep("this site does not let jobs set them");
  if (terms.frequency_limit && terms.frequency_limit->empty())
    return keep("the site's limits leave none");
  if (terms.frequency.kind != Kind::kRange || !terms.frequency_limit) return;
  const FrequencyRange within = common_part(terms.frequency.range, *terms.frequency_limit);
  if (within.empty())
    return keep(fmt::format("{} is outside of the site's limit of {}",
                            text_of(terms.frequency.range), text_of(*terms.frequency_limit)));
  if (asked && within != terms.frequency.range)
    terms.remarks.emplace_back("frequencies are cut to the site's limit");
  terms.frequency.range = within;
}

void agree_on_trace(const AggregateOption& option, const Policy& policy, JobTerms& terms) {
  if (!option.trace.value_or(false)) return;
  terms.trace = policy.traces && terms.mode == Mode::kProfile;
  if (!policy.traces)
    terms.remarks.emplace_back("it is not traced: this site does not let jobs be traced");
  else if (!terms.trace)
    terms.remarks.emplace_back("it is not traced: only mode profile traces");
}

std::string refusal_of(Mode mode, const Limits& limits) {
  const std::string& who = limits.forbidder_of(mode);
  return fmt::format("by site policy ({}mode {} is not allowed, only {})",
                     who.empty() ? "" : shortened(who) + ": ", name_of(mode),
                     limits.allowed_modes());
}

}  // namespace

JobTerms agree_on_terms(const AggregateOption& option, bool given, const Policy& policy) {
  JobTerms terms;
  terms.asked = given;
  terms.mode = given ? option.mode.value_or(Mode::kAuto) : policy.mode;
  if (!policy.limits.allows(terms.mode)) terms.refusal = refusal_of(terms.mode, policy.limits);
  terms.objective = option.objective.value_or(policy.objective);
  terms.samples = option.samples.value_or(policy.samples);
  terms.keep_nodes = option.keep_nodes;
  terms.least_nodes = policy.limits.least_nodes;
  agree_on_slowdown(option, policy, terms);
  agree_on_frequency(option, policy, terms);
  agree_on_trace(option, policy, terms);
  return terms;
}

std::optional<FrequencyRange> within_limit(const FrequencyRange& range,
                                           const std::optional<FrequencyRange>& limit) {
  if (!limit) return range;
  if (limit->empty()) return std::nullopt;
  const auto cut = [&](Hertz value) { return std::clamp(value, limit->lowest, limit->highest); };
  return FrequencyRange{cut(range.lowest), cut(range.highest)};
}

}  // namespace huddle
