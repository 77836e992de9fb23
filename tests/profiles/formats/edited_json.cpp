#include "tests/profiles/formats/edited_json.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace huddle {
namespace {

using nlohmann::ordered_json;

std::string cbor_of(const ordered_json& document) {
  const std::vector<std::uint8_t> bytes = ordered_json::to_cbor(document);
  return {bytes.begin(), bytes.end()};
}

ordered_json turned_round(const ordered_json& value) {
  if (!value.is_structured()) return value;
  ordered_json turned = value.is_array() ? ordered_json::array() : ordered_json::object();
  if (value.is_array())
    for (const ordered_json& element : value) turned.push_back(turned_round(element));
  else
    for (auto member = value.rbegin(); member != value.rend(); ++member)
      turned[member.key()] = turned_round(member.value());
  return turned;
}

}  // namespace

std::string turned_round(std::string_view document) {
  return turned_round(ordered_json::parse(document)).dump(1);
}

std::string with_field(std::string_view document, const std::string& pointer,
                       const std::string& value) {
  ordered_json edited = ordered_json::parse(document);
  const ordered_json::json_pointer place(pointer);
  static_cast<void>(edited.at(place.parent_pointer()));  // a slip in a table must not go unseen
  if (value.empty()) {
    ordered_json& parent = edited.at(place.parent_pointer());
    if (parent.is_array())
      parent.erase(std::stoul(place.back()));
    else if (parent.erase(place.back()) != 1)
      throw std::out_of_range(pointer);
    return edited.dump(1);
  }
  if (value == "NaN" || value == "inf") {
    edited[place] = value == "NaN" ? std::numeric_limits<double>::quiet_NaN()
                                   : std::numeric_limits<double>::infinity();
    return cbor_of(edited);
  }
  edited[place] = ordered_json::parse(value);
  return edited.dump(1);
}

std::string as_cbor(std::string_view json) {
  return cbor_of(ordered_json::parse(json));
}

std::string as_json(std::string_view cbor) {
  return ordered_json::from_cbor(cbor).dump(1);
}

std::string message_of(const BrokenField& broken, std::string_view file) {
  return fmt::format("{}: {}: found {}, expected {}", file, broken.place, broken.found,
                     broken.expected);
}

}  // namespace huddle
