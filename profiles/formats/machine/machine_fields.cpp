#include "profiles/formats/machine/machine_fields.hpp"

#include "profiles/vocabulary/pattern_text.hpp"

namespace huddle {
namespace {

template <class Enum, std::size_t kCount>
Enum read_name(const Field& field, const std::array<std::string_view, kCount>& names,
               std::string_view expected) {
  for (std::size_t i = 0; i < kCount; ++i)
    if (field.text() == names[i]) return static_cast<Enum>(i);
  field.fail(expected);
}

}  // namespace

std::string_view name_of(Distance distance) {
  return kDistanceNames[static_cast<std::size_t>(distance)];
}

std::string_view name_of(Origin origin) {
  return kOriginNames[static_cast<std::size_t>(origin)];
}

Distance read_distance(const Field& field) {
  return read_name<Distance>(field, kDistanceNames,
                             "\"die\", \"package\", \"node\" or \"network\"");
}

Origin read_origin(const Field& field) {
  return read_name<Origin>(field, kOriginNames, "\"measured\", \"given\" or \"assumed\"");
}

double read_positive(const Field& field) {
  const double value = field.number();
  if (value <= 0) field.fail("a number above 0");
  return value;
}

std::string read_pattern(const Field& field) {
  const std::string& text = field.text();
  if (pattern_numbers(text).empty()) field.fail("a pattern such as \"2:1:2\"");
  return text;
}

}  // namespace huddle
