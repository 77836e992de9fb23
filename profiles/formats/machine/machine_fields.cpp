#include "profiles/formats/machine/machine_fields.hpp"

#include <charconv>

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
  constexpr std::uint32_t kMostOfALevel = 1U << 10U;
  const std::string& text = field.text();
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int level = 0; level < 3; ++level) {
    std::uint32_t count = 0;
    if (level > 0 && (at == end || *at++ != ':')) field.fail("a pattern such as \"2:1:2\"");
    const auto [next, failure] = std::from_chars(at, end, count);
    if (failure != std::errc{} || count == 0 || count > kMostOfALevel)
      field.fail("a pattern such as \"2:1:2\"");
    at = next;
  }
  if (at != end) field.fail("a pattern such as \"2:1:2\"");
  return text;
}

}  // namespace huddle
