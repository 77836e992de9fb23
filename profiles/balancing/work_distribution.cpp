#include "profiles/balancing/work_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

#include "profiles/vocabulary/error.hpp"

namespace huddle::balancing {
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

void check(std::span<const WorkObject> objects, std::span<const WorkProcessor> processors) {
  if (std::none_of(processors.begin(), processors.end(),
                   [](const WorkProcessor& processor) { return processor.available; }))
    throw Error("no processor to put work on");
  for (const WorkProcessor& processor : processors)
    if (!(processor.speed > 0))
      throw Error(fmt::format("a processor's speed is {}; expected: above 0", processor.speed));
  for (const WorkObject& object : objects)
    if (object.processor >= processors.size())
      throw Error(
          fmt::format("an object on processor {} of {}", object.processor, processors.size()));
}

WorkPlacement present(std::span<const WorkObject> objects) {
  WorkPlacement placement;
  placement.reserve(objects.size());
  for (const WorkObject& object : objects) placement.push_back(object.processor);
  return placement;
}

bool alike(std::span<const WorkProcessor> processors) {
  return std::all_of(processors.begin(), processors.end(), [&](const WorkProcessor& processor) {
    return processor.speed == processors.front().speed;
  });
}

/// The load of each processor, whatever is moved, communication aside.
std::vector<double> unmovable_loads(std::span<const WorkObject> objects,
                                    std::span<const WorkProcessor> processors) {
  std::vector<double> load;
  for (const WorkProcessor& processor : processors) load.push_back(processor.background.value);
  for (const WorkObject& object : objects)
    if (!object.movable)
      load[object.processor] += object.time.value / processors[object.processor].speed;
  return load;
}

/// For processors of one speed.
WorkPlacement greedy_by_time(std::span<const WorkObject> objects,
                             std::span<const WorkProcessor> processors) {
  std::vector<double> load = unmovable_loads(objects, processors);
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lightest;
  for (std::uint32_t processor = 0; processor < processors.size(); ++processor)
    if (processors[processor].available) lightest.emplace(load[processor], processor);
  WorkPlacement placement = present(objects);
  for (const std::uint32_t object : longest_first(objects)) {
    if (!objects[object].movable) continue;
    // Entries of processors that got more since are left in the queue, and passed over.
    while (lightest.top().first != load[lightest.top().second]) lightest.pop();
    std::uint32_t best = lightest.top().second;
    const std::uint32_t own = objects[object].processor;
    if (processors[own].available && load[own] == load[best]) best = own;
    placement[object] = best;
    load[best] += objects[object].time.value / processors[best].speed;
    lightest.emplace(load[best], best);
  }
  return placement;
}

/// For any processors. Each costs the other end of a link, too, where that is elsewhere.
class LinkedGreed {
 public:
  LinkedGreed(std::span<const WorkObject> objects, std::span<const WorkProcessor> processors,
              const LinksByObject& links)
      : objects_(objects),
        processors_(processors),
        links_(links),
        placement_(objects.size(), kNowhere),
        load_(processors.size(), 0),
        spared_(processors.size(), 0) {
    for (std::uint32_t processor = 0; processor < processors.size(); ++processor)
      load_[processor] = processors[processor].background.value;
  }

  WorkPlacement run() {
    for (std::uint32_t object = 0; object < objects_.size(); ++object)
      if (!objects_[object].movable)
        put(object, [&](double) { return objects_[object].processor; });
    for (const std::uint32_t object : longest_first(objects_))
      if (objects_[object].movable)
        put(object, [&](double all) { return lightest(objects_[object], all); });
    return placement_;
  }

 private:
  /// `where` gets what the object's links to placed ones cost, and returns its processor.
  template <class Where>
  void put(std::uint32_t object, const Where& where) {
    double all = 0;
    for (const auto& end : links_.of(object))
      if (placement_[end.other] != kNowhere) {
        all += end.seconds;
        spared_[placement_[end.other]] += end.seconds;
      }
    const std::uint32_t best = where(all);
    load_[best] += objects_[object].time.value / processors_[best].speed + all - spared_[best];
    placement_[object] = best;
    for (const auto& end : links_.of(object))
      if (placement_[end.other] != kNowhere) {
        if (placement_[end.other] != best) load_[placement_[end.other]] += end.seconds;
        spared_[placement_[end.other]] = 0;
      }
  }

  [[nodiscard]] std::uint32_t lightest(const WorkObject& object, double all) const {
    const auto then = [&](std::uint32_t processor) {
      return load_[processor] + object.time.value / processors_[processor].speed + all -
             spared_[processor];
    };
    std::uint32_t best = processors_[object.processor].available ? object.processor : kNowhere;
    for (std::uint32_t processor = 0; processor < processors_.size(); ++processor)
      if (processors_[processor].available && (best == kNowhere || then(processor) < then(best)))
        best = processor;
    return best;
  }

  std::span<const WorkObject> objects_;
  std::span<const WorkProcessor> processors_;
  const LinksByObject& links_;
  WorkPlacement placement_;
  std::vector<double> load_;
  /// The communication of the object that is being placed with those on each processor.
  std::vector<double> spared_;
};

/// Moves objects one at a time from the processor that has most to do, as long as that helps.
class Refinement {
 public:
  Refinement(std::span<const WorkObject> objects, std::span<const WorkProcessor> processors,
             const LinksByObject& links)
      : objects_(objects),
        processors_(processors),
        links_(links),
        placement_(present(objects)),
        load_(processors.size(), 0),
        on_(processors.size()) {
    for (std::uint32_t processor = 0; processor < processors.size(); ++processor) {
      load_[processor] = processors[processor].background.value;
      if (processors[processor].available) available_.push_back(processor);
    }
    for (std::uint32_t object = 0; object < objects.size(); ++object) {
      if (objects[object].movable) on_[placement_[object]].push_back(object);
      load_[placement_[object]] += seconds_on(object, placement_[object]);
      for (const auto& end : links.of(object))
        if (objects[end.other].processor != objects[object].processor)
          load_[placement_[object]] += end.seconds;
    }
    for (const std::uint32_t object : longest_first(objects))
      if (objects[object].movable && !processors[objects[object].processor].available)
        move(object, objects[object].processor, least_burdened(object));
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
  /// If work could be divided at will.
  [[nodiscard]] double mean() const {
    double work = 0;
    double speed = 0;
    for (const std::uint32_t processor : available_) {
      work += load_[processor] * processors_[processor].speed;
      speed += processors_[processor].speed;
    }
    return work / speed;
  }
  [[nodiscard]] const WorkPlacement& placement() const { return placement_; }

 private:
  [[nodiscard]] double seconds_on(std::uint32_t object, std::uint32_t processor) const {
    return objects_[object].time.value / processors_[processor].speed;
  }

  [[nodiscard]] std::uint32_t heaviest() const {
    return *std::max_element(available_.begin(), available_.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return load_[a] < load_[b]; });
  }

  /// Trying every processor for every object would take too long where there are thousands.
  [[nodiscard]] std::vector<std::uint32_t> lightest_few(std::uint32_t from) const {
    constexpr std::size_t kFew = 8;
    std::vector<std::uint32_t> order = available_;
    std::erase(order, from);
    const auto few = static_cast<std::ptrdiff_t>(std::min(kFew, order.size()));
    std::partial_sort(order.begin(), order.begin() + few, order.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return load_[a] < load_[b]; });
    order.resize(static_cast<std::size_t>(few));
    return order;
  }

  [[nodiscard]] std::uint32_t least_burdened(std::uint32_t object) const {
    return *std::min_element(available_.begin(), available_.end(),
                             [&](std::uint32_t a, std::uint32_t b) {
                               return load_[a] + burden(object, a) < load_[b] + burden(object, b);
                             });
  }

  /// The load that `from` is rid of: the object, and its communication with others elsewhere; that
  /// with those that stay now costs them.
  [[nodiscard]] double relief(std::uint32_t object, std::uint32_t from) const {
    double seconds = seconds_on(object, from);
    for (const auto& end : links_.of(object))
      seconds += placement_[end.other] == from ? -end.seconds : end.seconds;
    return seconds;
  }

  [[nodiscard]] double burden(std::uint32_t object, std::uint32_t to) const {
    double seconds = seconds_on(object, to);
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
  std::span<const WorkProcessor> processors_;
  const LinksByObject& links_;
  WorkPlacement placement_;
  std::vector<double> load_;
  std::vector<std::vector<std::uint32_t>> on_;  // those that can be moved
  std::vector<std::uint32_t> available_;
};

}  // namespace

std::vector<Seconds> loads_of(std::span<const WorkObject> objects, std::span<const WorkLink> links,
                              const WorkPlacement& placement,
                              std::span<const WorkProcessor> processors) {
  if (placement.size() != objects.size())
    throw Error(
        fmt::format("{} objects are placed; expected: {}", placement.size(), objects.size()));
  std::vector<Seconds> load;
  for (const WorkProcessor& processor : processors) load.push_back(processor.background);
  for (std::size_t object = 0; object < objects.size(); ++object) {
    if (placement[object] >= processors.size())
      throw Error(fmt::format("object {} is on processor {} of {}", object, placement[object],
                              processors.size()));
    load[placement[object]] += objects[object].time * (1 / processors[placement[object]].speed);
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

std::vector<Seconds> loads_of(std::span<const WorkObject> objects, std::span<const WorkLink> links,
                              const WorkPlacement& placement, std::uint32_t processors) {
  return loads_of(objects, links, placement, std::vector<WorkProcessor>(processors));
}

WorkPlacement greedy_placement(std::span<const WorkObject> objects,
                               std::span<const WorkProcessor> processors,
                               std::span<const WorkLink> links) {
  check(objects, processors);
  if (links.empty() && alike(processors)) return greedy_by_time(objects, processors);
  const LinksByObject by_object(objects.size(), links);
  return LinkedGreed(objects, processors, by_object).run();
}

WorkPlacement greedy_placement(std::span<const WorkObject> objects, std::uint32_t processors,
                               std::span<const WorkLink> links) {
  return greedy_placement(objects, std::vector<WorkProcessor>(processors), links);
}

WorkPlacement refined_placement(std::span<const WorkObject> objects,
                                std::span<const WorkProcessor> processors, double tolerance,
                                std::span<const WorkLink> links) {
  check(objects, processors);
  const LinksByObject by_object(objects.size(), links);
  Refinement refinement(objects, processors, by_object);
  while (refinement.highest() > tolerance * refinement.mean())
    if (!refinement.step()) break;
  return refinement.placement();
}

WorkPlacement refined_placement(std::span<const WorkObject> objects, std::uint32_t processors,
                                double tolerance, std::span<const WorkLink> links) {
  return refined_placement(objects, std::vector<WorkProcessor>(processors), tolerance, links);
}

std::uint32_t moved_objects(std::span<const WorkObject> objects, const WorkPlacement& placement) {
  std::uint32_t moved = 0;
  for (std::size_t object = 0; object < objects.size(); ++object)
    if (placement[object] != objects[object].processor) ++moved;
  return moved;
}

}  // namespace huddle::balancing
