#pragma once

// Internal to the format readers and writers: values of members, and how they are read and written.
// Others have overloads beside their type's describe() (members.hpp), or a wrapper with read(),
// json(), is_set() and value().

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "profiles/formats/document/document.hpp"
#include "profiles/vocabulary/quantities.hpp"
#include "profiles/vocabulary/utc_time.hpp"

namespace huddle {

template <class Value>
concept Wrapped = requires(const Value& wrapper) {
  wrapper.is_set();
};
template <class Value>
concept AsWhole = std::same_as<Value, std::uint32_t> || std::same_as<Value, int>;

inline void read_value(const Field& field, bool& value) {
  value = field.boolean();
}
inline void read_value(const Field& field, std::uint64_t& value) {
  value = field.unsigned_integer();
}
template <AsWhole Value>
void read_value(const Field& field, Value& value) {
  value = static_cast<Value>(
      field.unsigned_32(static_cast<std::uint32_t>(std::numeric_limits<Value>::max())));
}
inline void read_value(const Field& field, std::uint8_t& value) {
  value = static_cast<std::uint8_t>(field.unsigned_integer(0xff));
}
/// Finite.
inline void read_value(const Field& field, double& value) {
  value = field.number();
}
inline void read_value(const Field& field, std::string& value) {
  value = field.text();
}
inline void read_value(const Field& field, UtcTime& value) {
  const auto time = parse_utc(field.text());
  if (!time) field.fail("a time of UTC such as 2026-11-22T00:39:49.123Z");
  value = *time;
}
/// Not negative.
template <class Tag>
void read_value(const Field& field, Quantity<Tag, double>& value) {
  value.value = field.non_negative();
}
template <class Tag>
void read_value(const Field& field, Quantity<Tag, std::uint64_t>& value) {
  value.value = field.unsigned_integer();
}
template <Wrapped Value>
void read_value(const Field& field, const Value& wrapper) {
  wrapper.read(field);
}
template <class Value>
requires std::is_class_v<Value> &&
    (!Wrapped<Value>)void read_value(const Field& field, Value& value);
template <class Value>
void read_value(const Field& field, std::optional<Value>& value) {
  read_value(field, value.emplace());
}
template <class Value>
void read_value(const Field& field, std::vector<Value>& values) {
  values.clear();
  values.reserve(field.array_size());
  field.for_each([&](const Field& entry) { read_value(entry, values.emplace_back()); });
}
template <class Value>
void read_value(const Field& field, std::map<std::string, Value>& values) {
  field.for_each_member(
      [&](const std::string& name, const Field& entry) { read_value(entry, values[name]); });
}

template <class Value>
requires std::is_arithmetic_v<Value> nlohmann::ordered_json json_value(const Value& value) {
  return value;
}
inline nlohmann::ordered_json json_value(const std::string& value) {
  return utf8(value);
}
inline nlohmann::ordered_json json_value(const UtcTime& value) {
  return text_of(value);
}
template <class Tag, class Rep>
nlohmann::ordered_json json_value(const Quantity<Tag, Rep>& value) {
  return value.value;
}
template <Wrapped Value>
nlohmann::ordered_json json_value(const Value& wrapper) {
  return wrapper.json();
}
template <class Value>
requires std::is_class_v<Value> &&(!Wrapped<Value>)nlohmann::ordered_json
    json_value(const Value& value);
template <class Value>
nlohmann::ordered_json json_value(const std::optional<Value>& value) {
  return value ? json_value(*value) : nlohmann::ordered_json();
}
template <class Value>
nlohmann::ordered_json json_value(const std::vector<Value>& values) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Value& value : values) array.push_back(json_value(value));
  return array;
}
template <class Value>
nlohmann::ordered_json json_value(const std::map<std::string, Value>& values) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : values) object[utf8(name)] = json_value(value);
  return object;
}

/// True unless it is empty, absent, false or 0.
template <class Value>
bool is_set(const Value& value) {
  if constexpr (Wrapped<Value>)
    return value.is_set();
  else if constexpr (requires { value.has_value(); })
    return value.has_value();
  else if constexpr (requires { value.empty(); })
    return !value.empty();
  else
    return value != Value{};
}

/// The value that rules look at: of an optional one and of a wrapper, the one inside.
template <class Value>
const auto& value_in(const Value& value) {
  if constexpr (Wrapped<Value>)
    return value_in(value.value());
  else if constexpr (requires { value.has_value(); })
    return *value;
  else
    return value;
}

}  // namespace huddle
