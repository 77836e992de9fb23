#include "profiles/hardware/counters/pmu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "profiles/files/kernel_file.hpp"
#include "profiles/hardware/counters/pmu_field.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::counters {
namespace {

namespace fs = std::filesystem;

// A file of one line, without its end. Throws SystemError.
std::string read_line(const fs::path& path) {
  std::array<char, 4096> text{};
  const long size = read_kernel_file(path.c_str(), text.data(), text.size());
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

Pmu::Pmu(fs::path directory)
    : directory_(std::move(directory)), name_(directory_.filename().string()) {
  const std::string file = directory_ / "type";
  const std::string text = read_line(file);
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), type_);
  if (failure != std::errc{} || end != text.data() + text.size())
    throw FormatError(file, "the type", text, "a number");
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
