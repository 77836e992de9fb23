#include "tests/evaluation/hybrid/team_optimum.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace huddle::hybrid {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The energy of some nodes in a run whose groups take X[g] seconds a pass: `joules` at their own
/// `lengths`, and `slopes` watts x passes for each second beyond.
struct Line {
  std::vector<double> lengths;
  std::vector<double> slopes;
  double joules = 0;

  [[nodiscard]] double at(const std::vector<double>& others) const {
    double sum = joules;
    for (std::size_t g = 0; g < lengths.size(); ++g) sum += slopes[g] * (others[g] - lengths[g]);
    return sum;
  }
};

/// True if `a` is no worse than `b` wherever `b` is possible.
bool dominates(const Line& a, const Line& b) {
  for (std::size_t g = 0; g < a.lengths.size(); ++g)
    if (a.lengths[g] > b.lengths[g] || a.slopes[g] > b.slopes[g]) return false;
  return a.at(b.lengths) <= b.joules;
}

std::vector<Line> without_dominated(std::vector<Line> lines) {
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return std::tie(a.joules, a.lengths) < std::tie(b.joules, b.lengths);
  });
  std::vector<Line> kept;
  for (Line& line : lines)
    if (std::none_of(kept.begin(), kept.end(), [&](const Line& k) { return dominates(k, line); }))
      kept.push_back(std::move(line));
  return kept;
}

/// Counts through all choices of some regions.
class Odometer {
 public:
  explicit Odometer(std::vector<std::size_t> sizes)
      : sizes_(std::move(sizes)), at_(sizes_.size()) {}
  [[nodiscard]] const std::vector<std::size_t>& at() const { return at_; }
  bool next() {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (++at_[i] < sizes_[i]) return true;
      at_[i] = 0;
    }
    return false;
  }

 private:
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> at_;
};

/// The ranks of one node alone.
struct NodePart {
  TrueProgram program;
  TeamProgram described;
};

std::vector<NodePart> parts_of(const TrueProgram& program, const TeamProgram& described) {
  std::map<std::uint32_t, NodePart> parts;
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    NodePart& part = parts[program.ranks[r].node];
    if (part.program.ranks.empty()) {
      part.program = program;
      part.program.ranks.clear();
      part.described = described;
      part.described.ranks.clear();
    }
    part.program.ranks.push_back(program.ranks[r]);
    part.described.ranks.push_back(described.ranks[r]);
  }
  std::vector<NodePart> result;
  for (auto& [node, part] : parts) result.push_back(std::move(part));
  return result;
}

/// All choices of a node.
std::vector<Line> lines_of(const NodePart& part, double most_seconds) {
  std::vector<std::size_t> sizes;
  for (const TeamRank& rank : part.described.ranks)
    for (const TeamGroupOfRank& group : rank.groups)
      for (const TeamRegion& region : group.regions) sizes.push_back(region.options.size());
  const std::vector<double>& passes = part.program.group_passes;
  std::map<std::vector<std::size_t>, double> slopes;  // by group and the last options of its ranks
  std::vector<Line> lines;
  std::vector<Line> recent;
  Odometer odometer(sizes);
  TeamChoice choice = reference_choice(part.described);
  do {
    std::size_t i = 0;
    for (auto& rank : choice)
      for (auto& group : rank)
        for (std::size_t& option : group) option = odometer.at()[i++];
    const TrueSettings settings = settings_of(part.described, choice);
    const TrueRun run = run_truth(part.program, settings);
    if (run.seconds > most_seconds * (1 + 1e-9)) continue;
    Line line;
    line.joules = run.joules;
    for (std::size_t g = 0; g < passes.size(); ++g)
      line.lengths.push_back(run.group_seconds[g] / passes[g]);
    for (std::size_t g = 0; g < passes.size(); ++g) {
      std::vector<std::size_t> key = {g};
      for (const auto& rank : choice) key.push_back(rank[g].back());
      const auto [slope, unknown] = slopes.emplace(key, 0);
      if (unknown) {
        std::vector<double> longer = line.lengths;
        longer[g] += 1;
        slope->second = run_truth(part.program, settings, longer).joules - run.joules;
      }
      line.slopes.push_back(slope->second);
    }
    recent.push_back(std::move(line));
    if (recent.size() == 2000) {
      lines.insert(lines.end(), recent.begin(), recent.end());
      lines = without_dominated(std::move(lines));
      recent.clear();
    }
  } while (odometer.next());
  lines.insert(lines.end(), recent.begin(), recent.end());
  return without_dominated(std::move(lines));
}

double least_of(const std::vector<Line>& lines) {
  double least = kNever;
  for (const Line& line : lines) least = std::min(least, line.joules);
  return least;
}

double seconds_of(const std::vector<double>& lengths, const std::vector<double>& passes) {
  return std::inner_product(lengths.begin(), lengths.end(), passes.begin(), 0.0);
}

std::vector<Line> combined(const std::vector<Line>& first, const std::vector<Line>& second,
                           const std::vector<double>& passes, double most_seconds, double known) {
  std::vector<Line> result;
  for (const Line& a : first)
    for (const Line& b : second) {
      if (a.joules + b.joules > known) continue;
      Line both = a;
      for (std::size_t g = 0; g < a.lengths.size(); ++g) {
        both.lengths[g] = std::max(a.lengths[g], b.lengths[g]);
        both.slopes[g] += b.slopes[g];
      }
      both.joules = a.at(both.lengths) + b.at(both.lengths);
      if (both.joules <= known && seconds_of(both.lengths, passes) <= most_seconds * (1 + 1e-9))
        result.push_back(std::move(both));
    }
  return without_dominated(std::move(result));
}

}  // namespace

double best_static_seconds(const TrueProgram& program, const TeamProgram& described) {
  const TeamChoice reference = reference_choice(described);
  double least = run_truth(program, settings_of(described, reference)).seconds;
  std::set<TeamConfiguration> configurations;
  for (const TeamRank& rank : described.ranks)
    for (const TeamGroupOfRank& group : rank.groups)
      for (const TeamRegion& region : group.regions)
        for (const TeamOption& option : region.options) configurations.insert(option.configuration);
  for (const TeamConfiguration& wanted : configurations) {
    TeamChoice choice = reference;
    for (std::size_t r = 0; r < choice.size(); ++r)
      for (std::size_t g = 0; g < choice[r].size(); ++g)
        for (std::size_t i = 0; i < choice[r][g].size(); ++i) {
          const auto& options = described.ranks[r].groups[g].regions[i].options;
          for (std::size_t o = 0; o < options.size(); ++o) {
            const TeamConfiguration& has = options[o].configuration;
            if (has == wanted || (has.threads == 1 && has.clock == wanted.clock))
              choice[r][g][i] = o;
          }
        }
    least = std::min(least, run_truth(program, settings_of(described, choice)).seconds);
  }
  return least;
}

double least_joules(const TrueProgram& program, const TeamProgram& described, double most_seconds,
                    double known) {
  known *= 1 + 1e-9;
  std::vector<std::vector<Line>> nodes;
  double least = 0;
  for (const NodePart& part : parts_of(program, described)) {
    nodes.push_back(lines_of(part, most_seconds));
    least += least_of(nodes.back());
  }
  for (auto& lines : nodes) {
    const double others = least - least_of(lines);
    std::erase_if(lines, [&](const Line& line) { return line.joules + others > known; });
  }
  if (nodes.empty()) return kNever;
  std::vector<Line> all = nodes.front();
  for (std::size_t node = 1; node < nodes.size(); ++node) {
    double others = 0;
    for (std::size_t later = node + 1; later < nodes.size(); ++later)
      others += least_of(nodes[later]);
    all = combined(all, nodes[node], program.group_passes, most_seconds, known - others);
  }
  return least_of(all);
}

namespace {

/// The cost of one region by itself, or of regions of one rank in turn.
struct Point {
  double seconds = 0;
  double joules = 0;
  double waiting = 0;  ///< watts of the node after it
};

std::vector<Point> points_of(const NodePart& part, std::size_t group, std::size_t region) {
  NodePart alone = part;
  const TeamRegion& described = part.described.ranks[0].groups[group].regions[region];
  alone.program.group_passes = {1};
  alone.program.ranks[0].groups = {{part.program.ranks[0].groups[group][region]}};
  alone.program.ranks[0].send_s = {0};
  alone.described.ranks[0].groups = {{{described}, {}, {}}};
  std::vector<Point> points;
  for (std::size_t o = 0; o < described.options.size(); ++o) {
    const TrueSettings settings = settings_of(alone.described, {{{o}}});
    const TrueRun run = run_truth(alone.program, settings);
    const TrueRun longer = run_truth(alone.program, settings, {run.seconds + 1});
    points.push_back({run.seconds, run.joules, longer.joules - run.joules});
  }
  return points;
}

/// Without those that another of as many watts of waiting is better than at each length that both
/// can have, where waiting costs at most `most_waiting`.
std::vector<Point> frontier(std::vector<Point> points, double most_waiting) {
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return std::tie(a.seconds, a.joules) < std::tie(b.seconds, b.joules);
  });
  std::map<double, double> least;  // joules less those of waiting as long, by watts of waiting
  std::vector<Point> kept;
  for (const Point& point : points) {
    const double joules = point.joules - most_waiting * point.seconds;
    const auto [known, first] = least.emplace(point.waiting, kNever);
    if (joules >= known->second) continue;
    known->second = joules;
    kept.push_back(point);
  }
  return kept;
}

/// Seconds and joules of a pass of a group, for all its lengths that may be best.
std::vector<Point> group_points(const std::vector<NodePart>& parts, std::size_t group) {
  std::vector<std::vector<Point>> ranks;
  std::set<double> lengths;
  double earliest = 0;
  for (const NodePart& part : parts) {
    std::vector<std::vector<Point>> regions;
    double most_waiting = 0;
    for (std::size_t i = 0; i < part.described.ranks[0].groups[group].regions.size(); ++i) {
      regions.push_back(points_of(part, group, i));
      for (const Point& point : regions.back())
        most_waiting = std::max(most_waiting, point.waiting);
    }
    std::vector<Point> all = {{}};
    for (const std::vector<Point>& region : regions) {
      std::vector<Point> longer;
      for (const Point& a : all)
        for (const Point& b : region)
          longer.push_back({a.seconds + b.seconds, a.joules + b.joules, b.waiting});
      all = frontier(std::move(longer), most_waiting);
    }
    const double send = part.program.ranks[0].send_s[group];
    for (Point& point : all) {
      point.seconds += send;
      point.joules += send * point.waiting;
      lengths.insert(point.seconds);
    }
    earliest = std::max(earliest, all.front().seconds);
    ranks.push_back(std::move(all));
  }
  std::vector<Point> result;
  for (const double length : lengths) {
    if (length < earliest) continue;
    double joules = 0;
    for (const auto& points : ranks) {
      double least = kNever;
      for (const Point& point : points) {
        if (point.seconds > length) break;
        least = std::min(least, point.joules + point.waiting * (length - point.seconds));
      }
      joules += least;
    }
    result.push_back({length, joules, 0});
  }
  return frontier(std::move(result), 0);
}

}  // namespace

double joules_at_least(const TrueProgram& program, const TeamProgram& described,
                       double most_seconds) {
  constexpr std::size_t kSteps = 4000;
  const std::vector<NodePart> parts = parts_of(program, described);
  std::vector<std::vector<Point>> groups;
  double spare = most_seconds * (1 + 1e-9);
  for (std::size_t g = 0; g < program.group_passes.size(); ++g) {
    groups.push_back(group_points(parts, g));
    spare -= program.group_passes[g] * groups.back().front().seconds;
  }
  if (spare < 0) return kNever;
  // The least joules within each number of steps of spare time, where what a group takes is rounded
  // down: no choice that fits is left out.
  std::vector<double> before(kSteps + 1, 0.0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<double> after(kSteps + 1, kNever);
    const double passes = program.group_passes[g];
    for (const Point& point : groups[g]) {
      const double longer = passes * (point.seconds - groups[g].front().seconds);
      if (longer > spare) continue;
      const auto steps = static_cast<std::size_t>(longer / spare * kSteps);
      for (std::size_t y = steps; y <= kSteps; ++y)
        after[y] = std::min(after[y], before[y - steps] + passes * point.joules);
    }
    before = std::move(after);
  }
  return before.back();
}

}  // namespace huddle::hybrid
