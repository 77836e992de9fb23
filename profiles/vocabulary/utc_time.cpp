#include "profiles/vocabulary/utc_time.hpp"

#include <fmt/format.h>

#include <charconv>

namespace huddle {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::milliseconds;

/// Takes a text apart from its begin to its end.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  // Exactly `digits` of them, as a number; nothing once something did not fit.
  unsigned number(std::size_t digits, unsigned least, unsigned most) {
    unsigned value = 0;
    const std::string_view word = rest_.substr(0, digits);
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    fits_ = fits_ && word.size() == digits && failure == std::errc{} &&
            end == word.data() + word.size() && value >= least && value <= most;
    if (fits_) rest_.remove_prefix(digits);
    return value;
  }
  void letter(char expected) {
    fits_ = fits_ && rest_.starts_with(expected);
    if (fits_) rest_.remove_prefix(1);
  }
  [[nodiscard]] bool at(char next) const { return fits_ && rest_.starts_with(next); }
  [[nodiscard]] bool at_end() const { return fits_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool fits_ = true;
};

}  // namespace

UtcTime utc_now() {
  return floor<milliseconds>(std::chrono::system_clock::now());
}

std::string text_of(UtcTime time) {
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::optional<UtcTime> parse_utc(std::string_view text) {
  Scanner in(text);
  const unsigned year = in.number(4, 1970, 9999);
  in.letter('-');
  const unsigned month = in.number(2, 1, 12);
  in.letter('-');
  const unsigned day = in.number(2, 1, 31);
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(month), std::chrono::day(day));
  if (!date.ok()) return std::nullopt;
  const UtcTime midnight = std::chrono::sys_days(date);
  if (in.at_end()) return midnight;
  in.letter('T');
  const std::chrono::hours hours(in.number(2, 0, 23));
  in.letter(':');
  const std::chrono::minutes minutes(in.number(2, 0, 59));
  in.letter(':');
  const std::chrono::seconds seconds(in.number(2, 0, 59));
  milliseconds fraction(0);
  if (in.at('.')) {
    in.letter('.');
    fraction = milliseconds(in.number(3, 0, 999));
  }
  in.letter('Z');
  if (!in.at_end()) return std::nullopt;
  return midnight + hours + minutes + seconds + fraction;
}

}  // namespace huddle
