#include "profiles/formats/observations/power_observations.hpp"

#include "profiles/formats/document/members.hpp"

namespace huddle {
namespace {

constexpr std::uint64_t kMostObservationsBytes = std::uint64_t{1} << 20U;
// A node for a thousand years: sums of many nodes stay in their range.
constexpr double kMostObserved = 1e15;

void check_is_part(const Occupation& part, const Occupation& whole, const Field& field) {
  if (part.packages > whole.packages) field.at("packages").fail("no more than the node has");
  if (part.dies > whole.dies) field.at("dies").fail("no more than the node has");
  if (part.cores > whole.cores) field.at("cores").fail("no more than the node has");
}

constexpr auto kObserved = [](const Field& field, const auto& sum) {
  if (sum.value > kMostObserved) field.fail("a number up to 1e15");
};

}  // namespace

template <class Members>
void describe(Members& members, In<Members, Occupation>& busy) {
  members.required("packages", busy.packages);
  members.required("dies", busy.dies);
  members.required("cores", busy.cores);
  members.check("packages", [&](const Field& field) {
    if (busy.packages > busy.dies) field.fail("no more than \"dies\"");
    if (busy.packages == 0 && busy.cores > 0) field.fail("1 or more, since cores are busy");
  });
  members.check("dies", [&](const Field& field) {
    if (busy.dies > busy.cores) field.fail("no more than \"cores\"");
  });
}

namespace {

template <class Members>
void describe_sum(Members& members, In<Members, PowerObservations::Key>& key,
                  In<Members, ObservedPower>& sum) {
  describe(members, key.occupation);
  members.required("mhz", key.occupation.mhz);
  members.required("group", key.group, at_most(PowerObservations::kGroups - 1));
  members.required("time_s", sum.time, kObserved, kAboveZero);
  members.required("energy_j", sum.energy, kObserved);
}

void read_sums(const Field& field, PowerObservations& observations) {
  if (field.array_size() > PowerObservations::kMost) field.fail("at most 2000 sums");
  field.for_each([&](const Field& entry) {
    PowerObservations::Key key;
    ObservedPower sum;
    MemberReader members(entry);
    describe_sum(members, key, sum);
    check_is_part(key.occupation, observations.whole, entry);
    if (!observations.sums.emplace(key, sum).second)
      entry.fail("an occupation and group that none before it has");
  });
}

nlohmann::ordered_json json_of_sums(const PowerObservations& observations) {
  nlohmann::ordered_json sums = nlohmann::ordered_json::array();
  for (const auto& [key, sum] : observations.sums) {
    nlohmann::ordered_json entry;
    MemberWriter members(entry);
    describe_sum(members, key, sum);
    sums.push_back(std::move(entry));
  }
  return sums;
}

}  // namespace

template <class Members>
void describe(Members& members, In<Members, PowerObservations>& observations) {
  members.required("node", observations.node);
  describe(members, observations.whole);
  members.check("cores", [&](const Field& field) {
    if (observations.whole.cores == 0) field.fail("1 or more");
  });
  members.required("sensors", observations.sensors);
  members.required("of_whole_node", observations.of_whole_node);
  members.required("begin", observations.begin);
  members.required("end", observations.end);
  if constexpr (Members::kReads)
    read_sums(members.object().at("sums"), observations);
  else
    members.json("sums", json_of_sums(observations));
}

void PowerObservations::add(const Key& key, const ObservedPower& observed, UtcTime now) {
  if (!sums.contains(key) && sums.size() >= kMost) return;
  if (sums.empty()) begin = now;
  end = now;
  ObservedPower& sum = sums[key];
  sum.time += observed.time;
  sum.energy += observed.energy;
}

std::string to_json(const PowerObservations& observations) {
  return document_of(observations).dump() + "\n";
}

PowerObservations parse_power_observations(std::string_view text, std::string_view source) {
  return parse_document<PowerObservations>(text, source);
}

PowerObservations load_power_observations(const std::filesystem::path& path) {
  return load_document<PowerObservations>(path, {.file_bytes = kMostObservationsBytes});
}

}  // namespace huddle
