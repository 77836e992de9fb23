#include <nlohmann/json.hpp>

#include "aggregator/commands/energy/discovery_text.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json hertz_or_null(const std::optional<Hertz>& frequency) {
  return frequency ? Json(frequency->value) : Json();
}

Json json_of(const ClockGroup& group) {
  Json entry;
  entry["pus"] = group.pus.list();
  entry["driver"] = text_or_null(group.driver);
  entry["governor"] = text_or_null(group.governor);
  entry["least_hz"] = hertz_or_null(group.least);
  entry["most_hz"] = hertz_or_null(group.most);
  entry["settable_hz"] = Json::array();
  for (const Hertz frequency : group.settable) entry["settable_hz"].push_back(frequency.value);
  entry["present_hz"] = hertz_or_null(group.present);
  return entry;
}

Json json_of(const FoundSensor& found) {
  const power::Sensor& sensor = found.sensor;
  Json entry;
  entry["name"] = sensor.name;
  entry["interface"] = sensor.interface;
  entry["measures"] = name_of(sensor.quantity);
  entry["covers"] = name_of(sensor.covers);
  entry["parent"] = text_or_null(sensor.parent);
  entry["same_as"] = text_or_null(sensor.same_as);
  entry["file"] = sensor.file;
  entry["unit"] = sensor.unit;
  entry["range"] = sensor.range == 0 ? Json() : Json(sensor.range);
  entry["refresh_s"] = sensor.refresh ? Json(sensor.refresh->value) : Json();
  entry["readable"] = found.trouble.empty();
  entry["trouble"] = text_or_null(found.trouble);
  return entry;
}

}  // namespace

std::string as_json(const PowerDiscovery& found) {
  Json document;
  document["format"] = "huddle/meters";
  document["version"] = 1;
  document["vendor"] = text_or_null(found.vendor);
  document["model"] = text_or_null(found.model);
  document["packages"] = found.packages == 0 ? Json() : Json(found.packages);
  document["pus"] = found.pus.list();
  document["clocks"] = Json::array();
  for (const ClockGroup& group : found.clocks) document["clocks"].push_back(json_of(group));
  document["sensors"] = Json::array();
  for (const FoundSensor& sensor : found.sensors) document["sensors"].push_back(json_of(sensor));
  document["sum"] = found.sum;
  document["slurm"] = text_or_null(found.slurm);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace huddle
