#include "profiles/balancing/work_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kNowhere = 0xffffffff;

/// The links of each object.
class LinksByObject {
 public:
  struct End {
    std::uint32_t other;
    double seconds;
  };

  LinksByObject(std::size_t objects, std::span<const WorkLink> links) : ends_(objects) {
    for (const WorkLink& link : links) {
      if (link.a >= objects || link.b >= objects)
        throw Error(fmt::format("a link between objects {} and {} of {}", link.a, link.b, objects));
      if (link.a == link.b) continue;
      ends_[link.a].push_back({link.b, link.time.value});
      ends_[link.b].push_back({link.a, link.time.value});
    }
  }

  [[nodiscard]] const std::vector<End>& of(std::uint32_t object) const { return ends_[object]; }

 private:
  std::vector<std::vector<End>> ends_;
};

std::vector<std::uint32_t> longest_first(std::span<const WorkObject> objects) {
  std::vector<std::uint32_t> order(objects.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return objects[a].time > objects[b].time;
  });
  return order;
}

void check(std::span<const WorkObject> objects, std::uint32_t processors) {
  if (processors == 0) throw Error("no processor to put work on");
  for (const WorkObject& object : objects)
    if (object.processor >= processors)
      throw Error(fmt::format("an object on processor {} of {}", object.processor, processors));
}

WorkPlacement present(std::span<const WorkObject> objects) {
  WorkPlacement placement;
  placement.reserve(objects.size());
  for (const WorkObject& object : objects) placement.push_back(object.processor);
  return placement;
}

WorkPlacement greedy_by_time(std::span<const WorkObject> objects, std::uint32_t processors) {
  std::vector<double> load(processors, 0);
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lightest;
  for (std::uint32_t processor = 0; processor < processors; ++processor)
    lightest.emplace(0.0, processor);
  WorkPlacement placement(objects.size(), 0);
  for (const std::uint32_t object : longest_first(objects)) {
    // Entries of processors that got more since are left in the queue, and passed over.
    while (lightest.top().first != load[lightest.top().second]) lightest.pop();
    std::uint32_t best = lightest.top().second;
    if (load[objects[object].processor] == load[best]) best = objects[object].processor;
    placement[object] = best;
    load[best] += objects[object].time.value;
    lightest.emplace(load[best], best);
  }
  return placement;
}

WorkPlacement greedy_by_links(std::span<const WorkObject> objects, std::uint32_t processors,
                              const LinksByObject& links) {
  std::vector<double> load(processors, 0);
  WorkPlacement placement(objects.size(), kNowhere);
  std::vector<double> spared(processors, 0);
  for (const std::uint32_t object : longest_first(objects)) {
    double all = 0;
    for (const auto& end : links.of(object))
      if (placement[end.other] != kNowhere) {
        all += end.seconds;
        spared[placement[end.other]] += end.seconds;
      }
    std::uint32_t best = objects[object].processor;
    for (std::uint32_t processor = 0; processor < processors; ++processor)
      if (load[processor] - spared[processor] < load[best] - spared[best]) best = processor;
    load[best] += objects[object].time.value + all - spared[best];
    placement[object] = best;
    for (const auto& end : links.of(object))
      if (placement[end.other] != kNowhere) {
        if (placement[end.other] != best) load[placement[end.other]] += end.seconds;
        spared[placement[end.other]] = 0;
      }
  }
  return placement;
}

/// Moves objects one at a time from the processor that has most to do, as long as that helps.
class Refinement {
 public:
  Refinement(std::span<const WorkObject> objects, std::uint32_t processors,
             const LinksByObject& links)
      : objects_(objects),
        links_(links),
        placement_(present(objects)),
        load_(processors, 0),
        on_(processors) {
    for (std::uint32_t object = 0; object < objects.size(); ++object) {
      on_[placement_[object]].push_back(object);
      load_[placement_[object]] += objects[object].time.value;
      for (const auto& end : links.of(object))
        if (objects[end.other].processor != objects[object].processor)
          load_[placement_[object]] += end.seconds;
    }
  }

  /// False once the heaviest has nothing to give that would make things better.
  bool step() {
    const std::uint32_t from = heaviest();
    const double highest = load_[from];
    double best_peak = highest * (1 - 1e-9);
    std::uint32_t best_object = kNowhere;
    std::uint32_t best_to = 0;
    for (const std::uint32_t to : lightest_few(from))
      for (const std::uint32_t object : on_[from]) {
        const double peak =
            std::max(load_[from] - relief(object, from), load_[to] + burden(object, to));
        if (peak < best_peak)
          std::tie(best_peak, best_object, best_to) = std::tuple(peak, object, to);
      }
    if (best_object == kNowhere) return false;
    move(best_object, from, best_to);
    return true;
  }

  [[nodiscard]] double highest() const { return load_[heaviest()]; }
  [[nodiscard]] double mean() const {
    return std::accumulate(load_.begin(), load_.end(), 0.0) / static_cast<double>(load_.size());
  }
  [[nodiscard]] const WorkPlacement& placement() const { return placement_; }

 private:
  [[nodiscard]] std::uint32_t heaviest() const {
    return static_cast<std::uint32_t>(std::max_element(load_.begin(), load_.end()) - load_.begin());
  }

  /// Trying every processor for every object would take too long where there are thousands.
  [[nodiscard]] std::vector<std::uint32_t> lightest_few(std::uint32_t from) const {
    constexpr std::size_t kFew = 8;
    std::vector<std::uint32_t> order(load_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::erase(order, from);
    const auto few = static_cast<std::ptrdiff_t>(std::min(kFew, order.size()));
    std::partial_sort(order.begin(), order.begin() + few, order.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return load_[a] < load_[b]; });
    order.resize(static_cast<std::size_t>(few));
    return order;
  }

  /// What `from` is rid of: the object and what it says to others elsewhere; what it said to those
  /// that stay now costs them.
  [[nodiscard]] double relief(std::uint32_t object, std::uint32_t from) const {
    double seconds = objects_[object].time.value;
    for (const auto& end : links_.of(object))
      seconds += placement_[end.other] == from ? -end.seconds : end.seconds;
    return seconds;
  }

  [[nodiscard]] double burden(std::uint32_t object, std::uint32_t to) const {
    double seconds = objects_[object].time.value;
    for (const auto& end : links_.of(object))
      seconds += placement_[end.other] == to ? -end.seconds : end.seconds;
    return seconds;
  }

  void move(std::uint32_t object, std::uint32_t from, std::uint32_t to) {
    load_[from] -= relief(object, from);
    load_[to] += burden(object, to);
    placement_[object] = to;
    std::erase(on_[from], object);
    on_[to].push_back(object);
  }

  std::span<const WorkObject> objects_;
  const LinksByObject& links_;
  WorkPlacement placement_;
  std::vector<double> load_;
  std::vector<std::vector<std::uint32_t>> on_;
};

}  // namespace

std::vector<Seconds> loads_of(std::span<const WorkObject> objects, std::span<const WorkLink> links,
                              const WorkPlacement& placement, std::uint32_t processors) {
  if (placement.size() != objects.size())
    throw Error(
        fmt::format("{} objects are placed; expected: {}", placement.size(), objects.size()));
  std::vector<Seconds> load(processors);
  for (std::size_t object = 0; object < objects.size(); ++object) {
    if (placement[object] >= processors)
      throw Error(
          fmt::format("object {} is on processor {} of {}", object, placement[object], processors));
    load[placement[object]] += objects[object].time;
  }
  for (const WorkLink& link : links) {
    if (link.a >= objects.size() || link.b >= objects.size())
      throw Error(
          fmt::format("a link between objects {} and {} of {}", link.a, link.b, objects.size()));
    if (placement[link.a] == placement[link.b]) continue;
    load[placement[link.a]] += link.time;
    load[placement[link.b]] += link.time;
  }
  return load;
}

WorkPlacement greedy_placement(std::span<const WorkObject> objects, std::uint32_t processors,
                               std::span<const WorkLink> links) {
  check(objects, processors);
  if (links.empty()) return greedy_by_time(objects, processors);
  return greedy_by_links(objects, processors, LinksByObject(objects.size(), links));
}

WorkPlacement refined_placement(std::span<const WorkObject> objects, std::uint32_t processors,
                                double tolerance, std::span<const WorkLink> links) {
  check(objects, processors);
  const LinksByObject by_object(objects.size(), links);
  Refinement refinement(objects, processors, by_object);
  while (refinement.highest() > tolerance * refinement.mean())
    if (!refinement.step()) break;
  return refinement.placement();
}

std::uint32_t moved_objects(std::span<const WorkObject> objects, const WorkPlacement& placement) {
  std::uint32_t moved = 0;
  for (std::size_t object = 0; object < objects.size(); ++object)
    if (placement[object] != objects[object].processor) ++moved;
  return moved;
}

}  // namespace huddle
