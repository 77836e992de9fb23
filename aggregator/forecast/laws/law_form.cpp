#include "aggregator/forecast/laws/law_form.hpp"

#include <algorithm>
#include <array>

namespace huddle::forecast {
namespace {

bool varies(const LawSamples& samples, std::size_t factor) {
  return samples.levels[factor].size() > 1;
}

std::size_t count_varying(const LawSamples& samples) {
  std::size_t count = 0;
  for (std::size_t factor = 0; factor < kFactors; ++factor) count += varies(samples, factor);
  return count;
}

// Terms whose powers of the number of processes, threads, or both alike, are these.
std::vector<SharePowers> along(LoopOver cores, const std::vector<double>& powers) {
  std::vector<SharePowers> shares;
  for (const double power : powers)
    shares.push_back(
        {cores == LoopOver::threads ? 0 : power, cores == LoopOver::processes ? 0 : power});
  return shares;
}

void add_products(std::vector<LawForm>& forms, const LawSamples& samples) {
  forms.push_back(LawForm{});
  const std::size_t varying = count_varying(samples);
  const bool both = varies(samples, kProcesses) && varies(samples, kThreads);
  if (both && samples.size() >= 6) forms.push_back({.processes_x_threads = true});
  const bool curves = std::any_of(samples.levels.begin(), samples.levels.end(),
                                  [](const auto& levels) { return levels.size() > 3; });
  if (curves && samples.size() >= 2 * varying + 2) {
    forms.push_back({.curved = true});
    if (varying > 1 && samples.size() >= 6 * varying)
      forms.push_back({.curved = true, .processes_x_threads = both, .size_x_others = true});
  }
}

// The ways in which cores may share the work, from few terms to many.
std::vector<std::vector<SharePowers>> shares_for(const LawSamples& samples) {
  const bool processes = varies(samples, kProcesses);
  const bool threads = varies(samples, kThreads);
  if (!processes && !threads) return {{{0, 0}}};
  const LoopOver cores = processes && threads ? LoopOver::cores
                         : processes          ? LoopOver::processes
                                              : LoopOver::threads;
  std::vector<std::vector<SharePowers>> ways = {along(cores, {-1, 0}), along(cores, {-1, 0, 1}),
                                                along(cores, {-1, -0.5, 0, 0.5, 1})};
  if (processes && threads) {
    ways.push_back({{-1, -1}, {-1, 0}, {0, -1}, {0, 0}});
    ways.push_back({{-1, -1}, {-1, 0}, {0, -1}, {0, 0}, {1, 0}, {0, 1}, {-1, 1}});
  } else {
    ways.push_back(along(cores, {-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1}));
  }
  return ways;
}

// The first `dealt` of the terms are work in whole iterations.
std::vector<SharePowers> dealt_out(std::vector<SharePowers> shares, std::size_t dealt) {
  for (std::size_t i = 0; i < dealt; ++i) shares[i].dealt = true;
  return shares;
}

void add_loops(std::vector<LawForm>& forms, const LawSamples& samples, LawForm form) {
  const bool processes = varies(samples, kProcesses);
  const bool threads = varies(samples, kThreads);
  // Steps show only where there are some values around each.
  constexpr std::size_t kLevels = 6;
  form.loop = threads ? LoopOver::threads : LoopOver::processes;
  const std::size_t factor = threads ? kThreads : kProcesses;
  if (samples.levels[factor].size() < kLevels) return;
  const auto add = [&](const std::vector<SharePowers>& shares, std::size_t dealt) {
    form.shares = dealt_out(shares, dealt);
    forms.push_back(form);
  };
  if (threads && processes) {
    add({{-1, -1}, {-1, 0}, {0, -1}, {0, 0}}, 1);
    return;
  }
  add(along(form.loop, {-1, 0}), 1);
  add(along(form.loop, {-1, 0, 1}), 1);
  // Energy: all cores take power until the busiest is done.
  add(along(form.loop, {-1, 0, 0, 1}), 2);
}

// Terms that nodes and the packages used on them add: work that they share however many
// cores they use, and what each of them costs. Empty if neither varies.
std::vector<SharePowers> layout_terms(const LawSamples& samples) {
  const bool nodes = varies(samples, kNodes);
  const bool packages = varies(samples, kPackages);
  std::vector<SharePowers> terms;
  if (!nodes && !packages) return terms;
  terms.push_back({.nodes = nodes ? -1.0 : 0.0, .packages = packages ? -1.0 : 0.0});
  if (nodes) terms.push_back({.nodes = 1});
  if (packages) terms.push_back({.nodes = nodes ? 1.0 : 0.0, .packages = 1});
  return terms;
}

// Sums with such terms: alone, which is power where nothing else matters; and beside those of each
// of `ways`.
void add_layouts(std::vector<LawForm>& forms, const LawSamples& samples, LawForm form,
                 const std::vector<std::vector<SharePowers>>& ways) {
  const std::vector<SharePowers> layout = layout_terms(samples);
  if (layout.empty()) return;
  const auto add = [&](std::vector<SharePowers> shares) {
    shares.insert(shares.end(), layout.begin(), layout.end());
    form.shares = std::move(shares);
    if (form.parameters(samples) <= samples.size()) forms.push_back(form);
  };
  const bool processes = varies(samples, kProcesses);
  const bool threads = varies(samples, kThreads);
  if (processes || threads) add({{0, 0}, {processes ? 1.0 : 0.0, threads ? 1.0 : 0.0}});
  for (const std::vector<SharePowers>& shares : ways) add(shares);
}

// Sums whose terms grow differently with the size.
void add_growths(std::vector<LawForm>& forms, const LawSamples& samples, LawForm form) {
  const bool processes = varies(samples, kProcesses);
  const bool threads = varies(samples, kThreads);
  form.size_powers = {0, 0.5, 2.0 / 3, 1, 4.0 / 3, 1.5, 2, 3};
  if (form.frequency_powers.size() > 1) form.frequency_powers = {-1, 0};
  std::vector<std::vector<SharePowers>> ways;
  if (processes && threads) {
    ways.push_back(along(LoopOver::cores, {-1, -0.5, 0, 1}));
    // A quarter's power is about a logarithm: what trees of messages take.
    ways.push_back({{-1, -1}, {-0.5, -0.5}, {-1, 0}, {0, -1}, {0, 0}, {0.25, 0}, {1, 0}, {0, 1}});
  } else if (processes || threads) {
    ways.push_back(
        along(processes ? LoopOver::processes : LoopOver::threads, {-1, -0.5, 0, 0.25, 1}));
  } else {
    ways.push_back({{0, 0}});
  }
  for (std::vector<SharePowers>& shares : ways) {
    form.shares = std::move(shares);
    if (form.parameters(samples) <= samples.size()) forms.push_back(form);
  }
}

void add_sums(std::vector<LawForm>& forms, const LawSamples& samples) {
  if (samples.size() < 3) return;
  LawForm form{.sum = true};
  if (varies(samples, kFrequency)) form.frequency_powers = {-1, 0};
  if (samples.levels[kFrequency].size() > 3) form.frequency_powers = {-1, 0, 2};
  const bool sizes = samples.levels[kSize].size() > 2;
  const std::vector<std::vector<SharePowers>> ways = shares_for(samples);
  add_layouts(forms, samples, form, ways);
  for (const std::vector<SharePowers>& shares : ways) {
    form.shares = shares;
    if (form.parameters(samples) > samples.size()) continue;
    forms.push_back(form);
    if (!sizes || shares.size() > 1) continue;
    form.fixed = true;
    forms.push_back(form);
    form.fixed = false;
  }
  if (sizes) add_growths(forms, samples, form);
  add_loops(forms, samples, form);
}

}  // namespace

std::size_t LawForm::parameters(const LawSamples& samples) const {
  const std::size_t varying = count_varying(samples);
  if (!sum) {
    std::size_t count = 1 + varying;
    if (curved) count += varying;
    if (processes_x_threads) ++count;
    if (size_x_others && varying > 0) count += varying - 1;
    return count;
  }
  // Most of many constants that are not negative become 0. A loop has thousands of lengths.
  const std::size_t terms = shares.size() * frequency_powers.size() + (fixed ? 1 : 0);
  const std::size_t searched =
      (varies(samples, kSize) ? 1U : 0U) + (loop == LoopOver::nothing ? 0U : 2U);
  return std::min<std::size_t>(terms, 4) + searched;
}

std::size_t LawForm::freedom(const LawSamples& samples) const {
  if (size_powers.empty()) return parameters(samples);
  LawForm spread = *this;
  const std::size_t growths = size_powers.size() + 1;
  spread.shares.clear();
  for (std::size_t i = 0; i < growths; ++i)
    spread.shares.insert(spread.shares.end(), shares.begin(), shares.end());
  return spread.parameters(samples);
}

std::vector<LawForm> forms_for(const LawSamples& samples) {
  std::vector<LawForm> forms;
  add_products(forms, samples);
  add_sums(forms, samples);
  return forms;
}

}  // namespace huddle::forecast
