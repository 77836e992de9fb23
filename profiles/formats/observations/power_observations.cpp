#include "profiles/formats/observations/power_observations.hpp"

#include "profiles/formats/document/document.hpp"

namespace huddle {
namespace {

constexpr std::uint64_t kMostObservationsBytes = std::uint64_t{1} << 20U;
// A node for a thousand years: sums of many nodes stay in their range.
constexpr double kMostObserved = 1e15;

Occupation read_occupation(const Field& field) {
  Occupation occupation{field.at("packages").unsigned_32(), field.at("dies").unsigned_32(),
                        field.at("cores").unsigned_32(), 0};
  if (occupation.packages > occupation.dies) field.at("packages").fail("no more than \"dies\"");
  if (occupation.dies > occupation.cores) field.at("dies").fail("no more than \"cores\"");
  if (occupation.packages == 0 && occupation.cores > 0)
    field.at("packages").fail("1 or more, since cores are busy");
  return occupation;
}

void check_is_part(const Occupation& part, const Occupation& whole, const Field& field) {
  if (part.packages > whole.packages) field.at("packages").fail("no more than the node has");
  if (part.dies > whole.dies) field.at("dies").fail("no more than the node has");
  if (part.cores > whole.cores) field.at("cores").fail("no more than the node has");
}

double read_sum(const Field& field) {
  const double value = field.non_negative();
  if (value > kMostObserved) field.fail("a number up to 1e15");
  return value;
}

UtcTime read_moment(const Field& field) {
  const auto time = parse_utc(field.text());
  if (!time) field.fail("a time of UTC such as 2026-11-22T00:39:49.123Z");
  return *time;
}

void read_sums(const Field& field, PowerObservations& observations) {
  if (field.array_size() > PowerObservations::kMost) field.fail("at most 2000 sums");
  field.for_each([&](const Field& entry) {
    PowerObservations::Key key;
    key.occupation = read_occupation(entry);
    check_is_part(key.occupation, observations.whole, entry);
    key.occupation.mhz = entry.at("mhz").unsigned_32();
    key.group = entry.at("group").unsigned_32(PowerObservations::kGroups - 1);
    const ObservedPower sum{{read_sum(entry.at("time_s"))}, {read_sum(entry.at("energy_j"))}};
    if (!(sum.time > Seconds{0})) entry.at("time_s").fail("a number above 0");
    if (!observations.sums.emplace(key, sum).second)
      entry.fail("an occupation and group that none before it has");
  });
}

PowerObservations read_observations(const Document& document) {
  const Field root = document.root();
  PowerObservations observations;
  observations.node = root.at("node").text();
  observations.whole = read_occupation(root);
  if (observations.whole.cores == 0) root.at("cores").fail("1 or more");
  root.at("sensors").for_each(
      [&](const Field& sensor) { observations.sensors.push_back(sensor.text()); });
  observations.of_whole_node = root.at("of_whole_node").boolean();
  observations.begin = read_moment(root.at("begin"));
  observations.end = read_moment(root.at("end"));
  read_sums(root.at("sums"), observations);
  return observations;
}

}  // namespace

void PowerObservations::add(const Key& key, const ObservedPower& observed, UtcTime now) {
  if (!sums.contains(key) && sums.size() >= kMost) return;
  if (sums.empty()) begin = now;
  end = now;
  ObservedPower& sum = sums[key];
  sum.time += observed.time;
  sum.energy += observed.energy;
}

std::string to_json(const PowerObservations& observations) {
  nlohmann::ordered_json json =
      new_document(PowerObservations::kFormat, PowerObservations::kVersion);
  json["node"] = utf8(observations.node);
  json["packages"] = observations.whole.packages;
  json["dies"] = observations.whole.dies;
  json["cores"] = observations.whole.cores;
  json["sensors"] = nlohmann::ordered_json::array();
  for (const std::string& sensor : observations.sensors) json["sensors"].push_back(utf8(sensor));
  json["of_whole_node"] = observations.of_whole_node;
  json["begin"] = text_of(observations.begin);
  json["end"] = text_of(observations.end);
  json["sums"] = nlohmann::ordered_json::array();
  for (const auto& [key, sum] : observations.sums)
    json["sums"].push_back({{"packages", key.occupation.packages},
                            {"dies", key.occupation.dies},
                            {"cores", key.occupation.cores},
                            {"mhz", key.occupation.mhz},
                            {"group", key.group},
                            {"time_s", sum.time.value},
                            {"energy_j", sum.energy.value}});
  return json.dump() + "\n";
}

PowerObservations parse_power_observations(std::string_view text, std::string_view source) {
  return read_observations(
      Document::parse(text, source, PowerObservations::kFormat, PowerObservations::kVersion));
}

PowerObservations load_power_observations(const std::filesystem::path& path) {
  const DocumentLimits limits{.file_bytes = kMostObservationsBytes};
  return read_observations(
      Document::load(path, PowerObservations::kFormat, PowerObservations::kVersion, limits));
}

}  // namespace huddle
