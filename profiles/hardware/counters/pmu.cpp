#include "profiles/hardware/counters/pmu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "profiles/files/kernel_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

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
  const auto number = number_in<unsigned>(text);
  return number && *number < kWordBits ? number : std::nullopt;
}

namespace fs = std::filesystem;

// A file of one line, without its end. Throws SystemError.
std::string read_line(const fs::path& path) {
  std::array<char, 4096> text{};
  const long size = files::read_kernel_file(path.c_str(), text.data(), text.size());
  if (size < 0) throw SystemError("read", path.string(), static_cast<int>(-size));
  const std::string_view line(text.data(), static_cast<std::size_t>(size));
  return std::string(line.substr(0, line.find('\n')));
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Names go into paths: "../../x" must not.
bool is_name(std::string_view text) {
  const auto fits = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.' ||
           letter == ':';
  };
  return !text.empty() && text.front() != '.' && std::all_of(text.begin(), text.end(), fits);
}

// Decimal, or hexadecimal behind 0x.
std::optional<std::uint64_t> number_of(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
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

Pmu::Pmu(fs::path directory)
    : directory_(std::move(directory)), name_(directory_.filename().string()) {
  const std::string file = directory_ / "type";
  const std::string text = read_line(file);
  const auto type = number_in<std::uint32_t>(text);
  if (!type) throw FormatError(file, "the type", text, "a number");
  type_ = *type;
}

// As the command perf decides: kernels mark the PMU of some cores by a file `cpus`, and have older
// names where all cores are alike.
bool Pmu::is_core() const {
  return name_ == "cpu" || name_ == "cpum_cf" || is_there(directory_ / "cpus");
}

bool Pmu::is_shared() const {
  return !is_core() && is_there(directory_ / "cpumask");
}

fs::path Pmu::event_file(std::string_view event) const {
  return directory_ / "events" / event;
}

bool Pmu::has_event(std::string_view event) const {
  return is_name(event) && is_there(event_file(event));
}

void Pmu::add_field(EventCode& code, std::string_view field, std::uint64_t value,
                    std::string_view file) const {
  const auto target = [&] {
    if (field == "config") return PmuField::whole(&EventCode::config);
    if (field == "config1") return PmuField::whole(&EventCode::config1);
    if (field == "config2") return PmuField::whole(&EventCode::config2);
    const fs::path description = directory_ / "format" / field;
    if (!is_name(field) || !is_there(description))
      throw FormatError(file, fmt::format("PMU {}", name_), fmt::format("\"{}\"", field),
                        "an event or a field that this PMU has");
    return PmuField::parse(read_line(description), description.string());
  }();
  if (!target.takes(value))
    throw FormatError(file, fmt::format("field {}", field), fmt::format("{:#x}", value),
                      fmt::format("a value of {} bits", target.width()));
  target.put(value, code);
}

void Pmu::add_terms(EventCode& code, std::string_view terms, std::string_view file,
                    bool names_allowed) const {
  for (bool more = true; more;) {
    const std::string_view term = terms.substr(0, terms.find(','));
    more = term.size() < terms.size();
    terms.remove_prefix(term.size() + (more ? 1 : 0));
    const std::size_t sign = term.find('=');
    if (sign == std::string_view::npos) {
      if (names_allowed && has_event(term)) {
        const std::string path = event_file(term);
        add_terms(code, read_line(path), path, false);
      } else {
        add_field(code, term, 1, file);
      }
      continue;
    }
    const auto value = number_of(term.substr(sign + 1));
    if (!value)
      throw FormatError(file, fmt::format("field {}", term.substr(0, sign)), term.substr(sign + 1),
                        "a number such as 60 or 0x3c");
    add_field(code, term.substr(0, sign), *value, file);
  }
}

EventCode Pmu::encode(std::string_view terms) const {
  EventCode code;
  code.type = type_;
  add_terms(code, terms, fmt::format("{}/{}/", name_, terms), true);
  return code;
}

PmuDirectory::PmuDirectory(const fs::path& sysfs) : directory_(sysfs / "bus/event_source/devices") {
  std::error_code unreadable;
  for (fs::directory_iterator entry(directory_, unreadable), end; !unreadable && entry != end;
       entry.increment(unreadable)) {
    try {
      Pmu pmu(entry->path());
      if (pmu.is_core()) core_pmus_.push_back(std::move(pmu));
    } catch (const Error&) {
      // what has no type can't be counted
    }
  }
  std::sort(core_pmus_.begin(), core_pmus_.end(),
            [](const Pmu& a, const Pmu& b) { return a.type() < b.type(); });
}

Pmu PmuDirectory::find(std::string_view name) const {
  if (!is_name(name) || !is_there(directory_ / name))
    throw Error(fmt::format("this machine has no PMU \"{}\" (see {})", shortened(name),
                            directory_.string()));
  return Pmu(directory_ / name);
}

}  // namespace huddle::counters
