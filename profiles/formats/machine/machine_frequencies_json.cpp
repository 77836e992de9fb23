#include "profiles/formats/machine/machine_frequencies_json.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "profiles/formats/machine/machine_fields.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

// Far beyond what processors have; a document can't make the choice take hours.
constexpr std::size_t kMostFrequencies = 256;

std::vector<Hertz> read_settable(const Field& field) {
  const std::size_t count = field.array_size();
  if (count == 0 || count > kMostFrequencies) field.fail("an array of 1 to 256 frequencies");
  std::vector<Hertz> settable;
  for (std::size_t i = 0; i < count; ++i) {
    const Field entry = field.element(i);
    const Hertz frequency{read_positive(entry)};
    if (i > 0 && frequency <= settable.back()) entry.fail("a frequency above the one before it");
    settable.push_back(frequency);
  }
  return settable;
}

std::optional<Watts> read_watts(const Field& entry, std::string_view name) {
  if (!entry.has(name)) return std::nullopt;
  return Watts{entry.at(name).non_negative()};
}

std::vector<PowerPoint> read_points(const Field& field, Hertz nominal) {
  if (field.array_size() > kMostFrequencies) field.fail("an array of at most 256");
  std::vector<PowerPoint> points;
  field.for_each([&](const Field& entry) {
    const Field at = entry.at("hz");
    const Hertz frequency{at.non_negative()};
    if (frequency == nominal)
      at.fail("another frequency than \"nominal_hz\", whose figures are those of \"power\"");
    if (!points.empty() && frequency <= points.back().frequency)
      at.fail("a frequency above the one before it");
    points.push_back({frequency,
                      {entry.at("core_w").non_negative()},
                      read_watts(entry, "package_w"),
                      read_watts(entry, "die_w")});
  });
  return points;
}

constexpr std::string_view kCore = "core";
constexpr std::string_view kPackage = "package";

ClockDomain read_domain(const Field& field) {
  if (field.text() == kCore) return ClockDomain::kCore;
  if (field.text() == kPackage) return ClockDomain::kPackage;
  field.fail("\"core\" or \"package\"");
}

}  // namespace

Frequencies read_frequencies(const Field& field) {
  Frequencies frequencies;
  frequencies.settable = read_settable(field.at("hz"));
  const Field nominal = field.at("nominal_hz");
  frequencies.nominal = {nominal.number()};
  const auto& settable = frequencies.settable;
  if (std::find(settable.begin(), settable.end(), frequencies.nominal) == settable.end())
    nominal.fail("one of the frequencies in \"hz\"");
  if (field.has("power")) frequencies.power = read_points(field.at("power"), frequencies.nominal);
  if (field.has("domain")) frequencies.domain = read_domain(field.at("domain"));
  frequencies.origin = read_origin(field.at("origin"));
  return frequencies;
}

ordered_json encoded(const Frequencies& frequencies) {
  ordered_json object;
  object["hz"] = ordered_json::array();
  for (const Hertz frequency : frequencies.settable) object["hz"].push_back(frequency.value);
  object["nominal_hz"] = frequencies.nominal.value;
  for (const PowerPoint& point : frequencies.power) {
    ordered_json entry = {{"hz", point.frequency.value}, {"core_w", point.core.value}};
    if (point.package) entry["package_w"] = point.package->value;
    if (point.die) entry["die_w"] = point.die->value;
    object["power"].push_back(std::move(entry));
  }
  if (frequencies.domain == ClockDomain::kPackage) object["domain"] = kPackage;
  object["origin"] = name_of(frequencies.origin);
  return object;
}

}  // namespace huddle
