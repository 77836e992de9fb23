#include "profiles/store/sweep_state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string_view>

#include "profiles/files/own_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::store {
namespace {

// As large as a state with long names gets, and some.
constexpr std::size_t kMostBytes = 16384;

std::filesystem::path sweep_file(const std::filesystem::path& part) {
  return part / ".sweep";
}

template <class Number>
bool read_number(std::string_view& text, Number& number) {
  const auto value = number_in<Number>(take_until(text, ' '));
  number = value.value_or(0);
  return value.has_value();
}

bool read_amount(std::string_view& text, SweepState::Amount& amount) {
  return read_number(text, amount.files) && read_number(text, amount.bytes);
}

bool read_bucket(std::string_view& text, SweepState& state) {
  std::size_t bucket = 0;
  return read_number(text, bucket) && bucket < SweepState::kBuckets &&
         read_amount(text, state.by_age[bucket]);
}

// One line: a word, a space, and the rest.
bool read_line(std::string_view line, SweepState& state) {
  std::string_view rest = line;
  const std::string_view word = take_until(rest, ' ');
  if (word == "begun") return read_number(rest, state.begun);
  if (word == "ended") return read_number(rest, state.ended);
  if (word == "cutoff") return read_number(rest, state.cutoff);
  if (word == "kept_written") return read_number(rest, state.kept_written);
  if (word == "oldest_profile") return read_number(rest, state.oldest_profile.emplace());
  if (word == "all") return read_amount(rest, state.all);
  if (word == "age") return read_bucket(rest, state);
  if (word == "label") state.label = rest;
  if (word == "ranks") state.ranks = rest;
  if (word == "entry") state.entry = rest;
  if (word == "kept") state.kept = rest;
  return true;
}

// The last line says that it is the last one.
SweepState parse(std::string_view text) {
  constexpr std::string_view kEnd = "end\n";
  SweepState state;
  if (!text.ends_with(kEnd)) return state;
  text.remove_suffix(kEnd.size());
  while (!text.empty()) {
    if (!read_line(take_until(text, '\n'), state)) return {};
  }
  return state;
}

std::string to_text(const SweepState& state) {
  std::string text =
      fmt::format("begun {}\nended {}\ncutoff {}\nlabel {}\nranks {}\nentry {}\n", state.begun,
                  state.ended, state.cutoff, state.label, state.ranks, state.entry);
  if (state.kept)
    text += fmt::format("kept {}\nkept_written {}\n", *state.kept, state.kept_written);
  if (state.oldest_profile) text += fmt::format("oldest_profile {}\n", *state.oldest_profile);
  text += fmt::format("all {} {}\n", state.all.files, state.all.bytes);
  for (std::size_t i = 0; i < SweepState::kBuckets; ++i)
    if (const SweepState::Amount& amount = state.by_age[i]; amount.files != 0)
      text += fmt::format("age {} {} {}\n", i, amount.files, amount.bytes);
  return text + "end\n";
}

// The eighth root of two, for computing by hand: the recorders link this, and the logarithms and
// powers of today's glibc are too new for the oldest that they run on.
constexpr double kEighthOfDoubling = 1.0905077326652577;

// Age of the youngest in a bucket.
double least_age_s(std::size_t bucket) {
  double age = static_cast<double>(SweepState::kPause_s);
  for (std::size_t i = 0; i < bucket; ++i) age *= kEighthOfDoubling;
  return age;
}

// Returns the bucket of an age of an hour or more.
std::size_t bucket_of(double age_s) {
  std::size_t bucket = 0;
  for (double next = least_age_s(1); bucket + 1 < SweepState::kBuckets && next <= age_s; ++bucket)
    next *= kEighthOfDoubling;
  return bucket;
}

}  // namespace

bool SweepState::is_due(std::int64_t now) const {
  return begun != 0 || now >= ended + kPause_s || now < ended - kPause_s;
}

void SweepState::begin(std::int64_t now) {
  const std::int64_t last = ended;
  const std::int64_t too_old = cutoff;
  *this = {};
  begun = now;
  ended = last;
  cutoff = too_old;
}

void SweepState::count(Amount amount, std::int64_t written, bool may_go) {
  all.files += amount.files;
  all.bytes += amount.bytes;
  const auto age_s = static_cast<double>(begun - written);
  if (!may_go || age_s < static_cast<double>(kPause_s)) return;
  Amount& same_age = by_age[bucket_of(age_s)];
  same_age.files += amount.files;
  same_age.bytes += amount.bytes;
}

std::int64_t SweepState::cutoff_for(Amount most) const {
  Amount left = all;
  const auto too_much = [&] {
    return (most.files != 0 && left.files > most.files) ||
           (most.bytes != 0 && left.bytes > most.bytes);
  };
  std::int64_t latest = 0;
  for (std::size_t i = kBuckets; i-- > 0 && too_much();) {
    if (by_age[i].files == 0) continue;
    left.files -= by_age[i].files;
    left.bytes -= by_age[i].bytes;
    latest = begun - static_cast<std::int64_t>(std::floor(least_age_s(i)));
  }
  return latest;
}

SweepFile::SweepFile(const std::filesystem::path& part)
    : file_(::fcntl(files::open_own_file(sweep_file(part)).number(), F_DUPFD_CLOEXEC, 0),
            sweep_file(part).string()) {
  held_ = ::flock(file_.descriptor(), LOCK_EX | LOCK_NB) == 0;
}

SweepState SweepFile::read() const {
  if (::lseek(file_.descriptor(), 0, SEEK_SET) != 0) return {};
  return parse(file_.read(kMostBytes));
}

void SweepFile::write(const SweepState& state) const {
  if (::lseek(file_.descriptor(), 0, SEEK_SET) != 0 || ::ftruncate(file_.descriptor(), 0) != 0)
    throw SystemError("write", ".sweep", errno);
  file_.write(to_text(state));
}

std::optional<SweepState> peek_at_sweep(const std::filesystem::path& part) {
  const files::OpenFile file(
      ::open(sweep_file(part).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
      sweep_file(part).string());
  if (file.descriptor() < 0 || !S_ISREG(file.status().st_mode)) return std::nullopt;
  return parse(file.read(kMostBytes));
}

}  // namespace huddle::store
