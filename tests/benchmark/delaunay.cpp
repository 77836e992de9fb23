#include "tests/benchmark/delaunay.hpp"

#include <array>

namespace huddle {
namespace {

using Index = std::uint32_t;
__extension__ typedef __int128 Wide;

// Above 0 if a, b, c turn left, 0 if they are on a line.
std::int64_t turn(const GridPoint& a, const GridPoint& b, const GridPoint& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// True if p is within the circle through a, b, c, which turn left.
bool in_circle(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& p) {
  const GridPoint da{a.x - p.x, a.y - p.y};
  const GridPoint db{b.x - p.x, b.y - p.y};
  const GridPoint dc{c.x - p.x, c.y - p.y};
  const auto square = [](const GridPoint& d) { return d.x * d.x + d.y * d.y; };
  const auto cross = [](const GridPoint& d, const GridPoint& e) { return d.x * e.y - d.y * e.x; };
  return Wide{square(da)} * cross(db, dc) + Wide{square(db)} * cross(dc, da) +
             Wide{square(dc)} * cross(da, db) >
         0;
}

// Corners counterclockwise; neighbours[i] is beyond the side opposite corners[i].
struct Triangle {
  std::array<Index, 3> corners{};
  std::array<Index, 3> neighbours{};
};

// Bowyer and Watson's algorithm: each point removes the triangles whose circles hold it and is
// joined to the rim of the hole. What lies outside the hull is covered by triangles with the ghost
// as a corner, one for each side of the hull, so that no corner is a made-up point far away.
class Triangulation {
 public:
  explicit Triangulation(std::span<const GridPoint> points)
      : points_(points), ghost_(static_cast<Index>(points.size())), begins_at_(points.size() + 1) {}

  // Three points that are not on a line, the first triangle.
  void begin(Index a, Index b, Index c) {
    if (turn(points_[a], points_[b], points_[c]) < 0) std::swap(b, c);
    // Triangle 0 within; 1, 2 and 3 are beyond the sides opposite a, b and c.
    triangles_ = {{{a, b, c}, {1, 2, 3}},
                  {{c, b, ghost_}, {3, 2, 0}},
                  {{a, c, ghost_}, {1, 3, 0}},
                  {{b, a, ghost_}, {2, 1, 0}}};
    hole_mark_.assign(triangles_.size(), ghost_);
  }

  void insert(Index point) {
    find_hole(point);
    fill_hole(point);
  }

  [[nodiscard]] std::vector<std::pair<Index, Index>> edges() const {
    std::vector<std::pair<Index, Index>> found;
    // Each edge is a side of two triangles, which run along it in opposite directions.
    for (const Triangle& triangle : triangles_)
      for (std::size_t i = 0; i < 3; ++i) {
        const Index from = triangle.corners[i];
        const Index to = triangle.corners[(i + 1) % 3];
        if (from < to && to != ghost_) found.emplace_back(from, to);
      }
    return found;
  }

 private:
  // A side of the hole, with what is beyond it.
  struct RimSide {
    Index from = 0;
    Index to = 0;
    Index beyond = 0;
  };

  // True if the point is within the triangle's circle; a ghost's is the half-plane outside its side
  // of the hull, with that side but without its ends.
  [[nodiscard]] bool conflicts(const Triangle& triangle, Index point) const {
    const GridPoint& p = points_[point];
    for (std::size_t i = 0; i < 3; ++i) {
      if (triangle.corners[i] != ghost_) continue;
      const GridPoint& a = points_[triangle.corners[(i + 1) % 3]];
      const GridPoint& b = points_[triangle.corners[(i + 2) % 3]];
      const std::int64_t side = turn(a, b, p);
      const bool between = (p.x - a.x) * (p.x - b.x) + (p.y - a.y) * (p.y - b.y) < 0;
      return side > 0 || (side == 0 && between);
    }
    return in_circle(points_[triangle.corners[0]], points_[triangle.corners[1]],
                     points_[triangle.corners[2]], p);
  }

  // The triangle that holds the point, or a ghost whose side the point is outside of: a walk from
  // the last triangle made, always across a side that the point is beyond.
  [[nodiscard]] Index locate(Index point) const {
    Index at = last_;
    for (std::size_t i = 0; i < 3;) {
      const Triangle& triangle = triangles_[at];
      if (triangle.corners[0] == ghost_ || triangle.corners[1] == ghost_ ||
          triangle.corners[2] == ghost_)
        return at;
      const GridPoint& a = points_[triangle.corners[(i + 1) % 3]];
      const GridPoint& b = points_[triangle.corners[(i + 2) % 3]];
      if (turn(a, b, points_[point]) < 0) {
        at = triangle.neighbours[i];
        i = 0;
      } else {
        ++i;
      }
    }
    return at;
  }

  // Collects the triangles in conflict with the point, which touch each other, and the hole's rim.
  void find_hole(Index point) {
    hole_ = {locate(point)};
    rim_.clear();
    hole_mark_[hole_.front()] = point;
    for (std::size_t next = 0; next < hole_.size(); ++next) {
      const Triangle& triangle = triangles_[hole_[next]];
      for (std::size_t i = 0; i < 3; ++i) {
        const Index beyond = triangle.neighbours[i];
        if (hole_mark_[beyond] == point) continue;
        if (conflicts(triangles_[beyond], point)) {
          hole_mark_[beyond] = point;
          hole_.push_back(beyond);
        } else {
          rim_.push_back({triangle.corners[(i + 1) % 3], triangle.corners[(i + 2) % 3], beyond});
        }
      }
    }
  }

  // A triangle from the point to each side of the rim, in the places of the hole's and two more.
  void fill_hole(Index point) {
    for (std::size_t i = 0; i < rim_.size(); ++i) {
      const auto [from, to, beyond] = rim_[i];
      if (i == hole_.size()) {
        hole_.push_back(static_cast<Index>(triangles_.size()));
        triangles_.emplace_back();
        hole_mark_.push_back(ghost_);
      }
      const Index made = hole_[i];
      triangles_[made] = {{from, to, point}, {0, 0, beyond}};
      begins_at_[from] = made;
      Triangle& other = triangles_[beyond];
      for (std::size_t side = 0; side < 3; ++side)
        if (other.corners[(side + 1) % 3] == to && other.corners[(side + 2) % 3] == from)
          other.neighbours[side] = made;
      if (from != ghost_ && to != ghost_) last_ = made;
    }
    for (std::size_t i = 0; i < rim_.size(); ++i) {
      const Index next = begins_at_[rim_[i].to];
      triangles_[hole_[i]].neighbours[0] = next;
      triangles_[next].neighbours[1] = hole_[i];
    }
  }

  std::span<const GridPoint> points_;
  Index ghost_;
  std::vector<Triangle> triangles_;
  std::vector<Index> hole_mark_;  // the last point in conflict with the triangle of that number
  std::vector<Index> begins_at_;  // by corner, the new triangle whose side on the rim begins there
  std::vector<Index> hole_;
  std::vector<RimSide> rim_;
  Index last_ = 0;  // never a ghost
};

}  // namespace

std::vector<std::pair<Index, Index>> delaunay_edges(std::span<const GridPoint> points) {
  Index third = 2;
  while (third < points.size() && turn(points[0], points[1], points[third]) == 0) ++third;
  if (third >= points.size()) return {};
  Triangulation triangulation(points);
  triangulation.begin(0, 1, third);
  for (Index point = 2; point < points.size(); ++point)
    if (point != third) triangulation.insert(point);
  return triangulation.edges();
}

}  // namespace huddle
