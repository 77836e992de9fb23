#include "profiles/hardware/counters/pmu_field.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "profiles/vocabulary/error.hpp"

namespace huddle::counters {
namespace {

constexpr unsigned kWordBits = 64;

std::uint64_t EventCode::*word_named(std::string_view name) {
  if (name == "config") return &EventCode::config;
  if (name == "config1") return &EventCode::config1;
  if (name == "config2") return &EventCode::config2;
  return nullptr;
}

std::optional<unsigned> bit_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || number >= kWordBits)
    return std::nullopt;
  return number;
}

}  // namespace

PmuField PmuField::parse(std::string_view text, std::string_view file) {
  const auto fail = [&] {
    return FormatError(file, "the field", text,
                       "bits of config, config1 or config2, such as config:0-7,32-35");
  };
  const std::size_t colon = std::min(text.find(':'), text.size());
  std::uint64_t EventCode::*const word = word_named(text.substr(0, colon));
  if (word == nullptr || colon == text.size()) throw fail();
  std::vector<Range> ranges;
  unsigned bits = 0;
  std::string_view rest = text.substr(colon + 1);
  for (bool more = true; more;) {
    const std::string_view range = rest.substr(0, rest.find(','));
    more = range.size() < rest.size();
    rest.remove_prefix(range.size() + (more ? 1 : 0));
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = bit_number(range.substr(0, dash));
    const auto last = dash < range.size() ? bit_number(range.substr(dash + 1)) : first;
    if (!first || !last || *first > *last) throw fail();
    bits += *last - *first + 1;
    if (bits > kWordBits) throw fail();
    ranges.emplace_back(*first, *last);
  }
  return PmuField(word, std::move(ranges));
}

unsigned PmuField::width() const {
  unsigned bits = 0;
  for (const auto& [first, last] : ranges_) bits += last - first + 1;
  return bits;
}

bool PmuField::takes(std::uint64_t value) const {
  const unsigned bits = width();
  return bits >= kWordBits || (value >> bits) == 0;
}

void PmuField::put(std::uint64_t value, EventCode& code) const {
  for (const auto& [first, last] : ranges_) {
    const unsigned bits = last - first + 1;
    const std::uint64_t mask =
        bits >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    std::uint64_t& word = code.*word_;
    word = (word & ~(mask << first)) | ((value & mask) << first);
    value = bits >= kWordBits ? 0 : value >> bits;
  }
}

}  // namespace huddle::counters
