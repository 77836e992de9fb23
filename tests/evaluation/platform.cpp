#include "tests/evaluation/platform.hpp"

#include <fmt/format.h>
#include <simgrid/version.h>

#include <array>
#include <map>
#include <string>

namespace huddle::evaluation {
namespace {

namespace s4u = simgrid::s4u;

// The levels that contain a rank, from the inside: core, die, package, node.
constexpr std::size_t kLevels = 4;
using Names = std::array<std::string, kLevels>;

struct Port {
  const s4u::Link* out = nullptr;
  const s4u::Link* in = nullptr;
};

Names names_of(std::size_t rank, const Place& place) {
  Names names;
  names[3] = fmt::format("node{}", place.node);
  names[2] = fmt::format("{}.package{}", names[3], place.package);
  names[1] = fmt::format("{}.die{}", names[2], place.die);
  names[0] = fmt::format("rank{}", rank);
  return names;
}

// SimGrid 4 makes hosts only in zones that belong to the engine.
s4u::NetZone* new_zone() {
#if SIMGRID_VERSION >= 40000
  return s4u::Engine::get_instance()->get_netzone_root()->add_netzone_full("cluster");
#else
  return s4u::create_full_zone("cluster");
#endif
}

class Builder {
 public:
  explicit Builder(const Interconnect& net)
      : hops_{net.core, net.die, net.package, net.nic},
        zone_(new_zone()),
        hub_(zone_->create_host("hub", 1e9)) {}

  void add_rank(std::size_t rank, const Place& place) {
    names_.push_back(names_of(rank, place));
    cores_.push_back(zone_->create_host(names_.back()[0], 1e9));
    for (std::size_t level = 0; level < kLevels; ++level) {
      const auto [port, is_new] = ports_.try_emplace(names_.back()[level]);
      if (is_new) port->second = new_port(port->first, hops_[level]);
    }
  }

  void connect(std::uint32_t from, std::uint32_t to) {
    std::vector<s4u::LinkInRoute> way;
    const std::size_t shared = levels_apart(from, to);
    for (std::size_t level = 0; level < shared; ++level) way.emplace_back(port(from, level).out);
    for (std::size_t level = shared; level-- > 0;) way.emplace_back(port(to, level).in);
    add_route(cores_[from], cores_[to], way);
  }

  void connect_to_hub(std::uint32_t rank) {
    std::vector<s4u::LinkInRoute> out;
    std::vector<s4u::LinkInRoute> in;
    for (std::size_t level = 0; level < kLevels; ++level) {
      out.emplace_back(port(rank, level).out);
      in.emplace_back(port(rank, kLevels - 1 - level).in);
    }
    add_route(cores_[rank], hub_, out);
    add_route(hub_, cores_[rank], in);
  }

  Platform finish() {
    zone_->seal();
    return {std::move(cores_), hub_};
  }

 private:
  Port new_port(const std::string& name, const Hop& hop) {
    return {new_link(name + " out", hop), new_link(name + " in", hop)};
  }

  const s4u::Link* new_link(const std::string& name, const Hop& hop) {
    return zone_->create_link(name, hop.bandwidth)->set_latency(hop.latency_s)->seal();
  }

  [[nodiscard]] const Port& port(std::uint32_t rank, std::size_t level) const {
    return ports_.at(names_[rank][level]);
  }

  // The number of levels below the innermost one that both share.
  [[nodiscard]] std::size_t levels_apart(std::uint32_t a, std::uint32_t b) const {
    std::size_t level = 1;
    while (level < kLevels && names_[a][level] != names_[b][level]) ++level;
    return level;
  }

  void add_route(const s4u::Host* from, const s4u::Host* to,
                 const std::vector<s4u::LinkInRoute>& way) {
    zone_->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, way, false);
  }

  std::array<Hop, kLevels> hops_;
  s4u::NetZone* zone_;
  s4u::Host* hub_;
  std::vector<Names> names_;
  std::vector<s4u::Host*> cores_;
  std::map<std::string, Port> ports_;
};

}  // namespace

Platform platform_of(const Cluster& cluster, const Placement& placement, const Pairs& pairs) {
  Builder builder(cluster.net);
  for (std::size_t rank = 0; rank < placement.size(); ++rank)
    builder.add_rank(rank, placement[rank]);
  for (const auto& [from, to] : pairs) builder.connect(from, to);
  for (std::uint32_t rank = 0; rank < placement.size(); ++rank) builder.connect_to_hub(rank);
  return builder.finish();
}

}  // namespace huddle::evaluation
