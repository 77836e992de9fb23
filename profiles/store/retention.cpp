#include "profiles/store/retention.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/files/folder_names.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/store_entrance.hpp"
#include "profiles/store/sweep_state.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;
using TimePoint = std::chrono::system_clock::time_point;
using SteadyClock = std::chrono::steady_clock;

enum class Kind : std::uint8_t { kProfile, kPlan, kRecord, kUnfinished, kSample, kRankfile };

// Unfinished files of that age were left by a process that was killed, or are of no more use.
constexpr std::chrono::hours kUnfinishedAge{7 * 24};

std::int64_t seconds_of(TimePoint time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::int64_t modified(const struct stat& status) {
  return status.st_mtim.tv_sec;
}

// Nothing if it is not there any more.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  throw SystemError("read", path.string(), errno);
}

bool is_own_folder(const fs::path& path) {
  const auto status = status_of(path);
  return status && S_ISDIR(status->st_mode) && status->st_uid == ::geteuid();
}

// Returns the kind of file that a name is of; nothing if it is not ours. Hidden ones are
// unfinished: temporary files, parts of profiles of runs that still go on or were killed, and
// locks. Traces go with records.
std::optional<Kind> kind_of(std::string_view name) {
  const bool hidden = name.starts_with('.');
  if (hidden) name.remove_prefix(1);
  const auto kind = [&]() -> std::optional<Kind> {
    if (name.starts_with("sample-")) return Kind::kSample;
    if (name.starts_with("plan-")) return Kind::kPlan;
    if (name.starts_with("outcome-") || name.starts_with("timed-") || name.starts_with("energy-") ||
        name.starts_with(Store::kSaidPrefix))
      return Kind::kRecord;
    if (name.starts_with(Store::kPackedProfilePrefix) ||
        name.starts_with(Store::kBalancedProfilePrefix))
      return Kind::kRecord;  // no plan rests on it
    if (name.starts_with("making-")) return Kind::kUnfinished;
    if (name.starts_with("job-") && name.find(".rankfile") != std::string_view::npos)
      return Kind::kRankfile;
    if (name.starts_with(Store::kProfilePrefix)) return Kind::kProfile;
    return std::nullopt;
  }();
  return kind && hidden ? Kind::kUnfinished : kind;
}

// Returns the key by which entries are sorted before they are looked at: samples last, when it is
// known which profiles stay.
std::string order_of(std::string_view name) {
  return (kind_of(name) == Kind::kSample ? "1" : "0") + std::string(name);
}

struct Entry {
  fs::path path;
  Kind kind = Kind::kRecord;
  std::int64_t written = 0;
  SweepState::Amount amount;
};

void add(const struct stat& status, Entry& entry) {
  entry.written = std::max(entry.written, modified(status));
  ++entry.amount.files;
  entry.amount.bytes += static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
}

// Adds the files in a folder of parts or of a trace: they are written again and again, and the
// folder does not show it.
void add_contents(Entry& entry) {
  std::error_code failure;
  for (fs::recursive_directory_iterator it(entry.path, failure), end; !failure && it != end;
       it.increment(failure))
    if (const auto status = status_of(it->path())) add(*status, entry);
}

// Nothing if it is not there any more, or not ours.
std::optional<Entry> entry_of(const fs::path& path, Kind kind) {
  const auto status = status_of(path);
  if (!status || status->st_uid != ::geteuid()) return std::nullopt;
  Entry entry{path, kind, modified(*status), {}};
  add(*status, entry);
  if (!S_ISDIR(status->st_mode)) return entry;
  if (kind == Kind::kProfile) entry.kind = Kind::kRecord;  // a trace
  add_contents(entry);
  return entry;
}

bool is_complete(const fs::path& profile) {
  try {
    return load_profile(profile).complete;
  } catch (const Error&) {
    return false;
  }
}

// The profile that stays: found without reading any if there is but one.
fs::path newest_complete(const fs::path& folder) {
  std::vector<std::string> names = files::names_in(folder);
  std::erase_if(names, [](const std::string& name) { return !Store::is_profile(name); });
  std::sort(names.begin(), names.end(), std::greater<>());
  if (names.size() == 1) return folder / names[0];
  for (const std::string& name : names)
    if (is_complete(folder / name)) return folder / name;
  return {};
}

std::vector<std::string> sorted_names_in(const fs::path& folder, const std::string& least) {
  std::vector<std::string> names = files::names_in(folder);
  std::erase_if(names, [&](const auto& name) { return name < least || name.starts_with('.'); });
  std::sort(names.begin(), names.end());
  return names;
}

/// One process's part of a sweep.
class Slice {
 public:
  Slice(fs::path part, const Retention& retention, const SliceLimits& limits, SweepState& state,
        std::int64_t now)
      : part_(std::move(part)),
        limits_(limits),
        state_(state),
        oldest_(retention.age.count() == 0 ? 0 : now - std::chrono::seconds(retention.age).count()),
        oldest_unfinished_(std::max(oldest_, now - std::chrono::seconds(kUnfinishedAge).count())) {}

  /// Returns true once all was looked at.
  bool run() {
    if (state_.label.empty())
      for (const fs::path& folder : {part_, part_ / Store::kTeamSizesFolder})
        remove_left_files(folder);
    for (const std::string& label : sorted_names_in(part_, state_.label)) {
      if (!may_go_on()) return false;
      if (label != state_.label) enter(label, {});
      ++result_.looked_at;
      if (!is_own_folder(part_ / label)) continue;
      for (const std::string& ranks : sorted_names_in(part_ / label, state_.ranks)) {
        if (!may_go_on()) return false;
        if (ranks != state_.ranks) enter(label, ranks);
        if (!sweep_folder(part_ / label / ranks)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] const SweepResult& result() const { return result_; }

 private:
  void enter(const std::string& label, const std::string& ranks) {
    state_.label = label;
    state_.ranks = ranks;
    state_.entry.clear();
    state_.kept.reset();
    state_.kept_written = 0;
    state_.oldest_profile.reset();
    has_advanced_ = true;
  }

  // A slice that never gets on would never end the sweep.
  [[nodiscard]] bool may_go_on() const {
    return !has_advanced_ ||
           (result_.looked_at < limits_.entries && SteadyClock::now() - begun_ < limits_.time);
  }

  // Clears folders that hold no runs of what processes that were killed did not finish.
  void remove_left_files(const fs::path& folder) {
    if (!is_own_folder(folder)) return;
    for (const std::string& name : files::names_in(folder)) {
      const bool temporary = name.starts_with('.') && name.ends_with(".tmp");
      if (!temporary && name.find(".by-") == std::string::npos) continue;
      const auto entry = entry_of(folder / name, Kind::kUnfinished);
      if (entry && entry->written < oldest_unfinished_) remove(*entry);
    }
  }

  bool sweep_folder(const fs::path& folder) {
    if (!is_own_folder(folder)) return true;
    ++result_.looked_at;
    std::vector<std::string> orders;
    newest_profile_.clear();
    for (const std::string& name : files::names_in(folder)) {
      if (!kind_of(name)) continue;
      if (Store::is_profile(name)) newest_profile_ = std::max(newest_profile_, name);
      if (std::string order = order_of(name); order > state_.entry)
        orders.push_back(std::move(order));
    }
    std::sort(orders.begin(), orders.end());
    for (const std::string& order : orders) {
      if (!may_go_on()) return false;
      state_.entry = order;
      has_advanced_ = true;
      const std::string name = order.substr(1);
      if (const auto entry = entry_of(folder / name, *kind_of(name))) look_at(*entry);
    }
    return true;
  }

  void look_at(const Entry& entry) {
    result_.looked_at += entry.amount.files;
    if (goes(entry)) return remove(entry);
    if (entry.kind == Kind::kProfile)
      state_.oldest_profile =
          std::min(state_.oldest_profile.value_or(entry.written), entry.written);
    // The profile that stays is not asked for here, since that may take reading several of them.
    const bool may_go = entry.kind == Kind::kRecord ||
                        (entry.kind == Kind::kProfile && entry.path.filename() != newest_profile_);
    state_.count(entry.amount, entry.written, may_go);
  }

  [[nodiscard]] bool goes(const Entry& entry) {
    const bool old =
        entry.written < (entry.kind == Kind::kUnfinished ? oldest_unfinished_ : oldest_);
    const bool too_much = entry.written < state_.cutoff && entry.kind <= Kind::kRecord;
    if (!old && !too_much) return false;
    if (entry.kind == Kind::kSample)
      return state_.oldest_profile && entry.written >= *state_.oldest_profile ? false : old;
    return !stays(entry, entry.kind == Kind::kPlan && !old);
  }

  // True if it is the profile that the next plan rests on, or `as_its_plan` a plan of that one.
  bool stays(const Entry& entry, bool as_its_plan) {
    if (entry.kind != Kind::kProfile && !as_its_plan) return false;
    if (!state_.kept) {
      const fs::path kept = newest_complete(entry.path.parent_path());
      const auto status = kept.empty() ? std::nullopt : status_of(kept);
      state_.kept = status ? kept.filename().string() : std::string();
      state_.kept_written = status ? modified(*status) : 0;
    }
    if (state_.kept->empty()) return false;
    return as_its_plan ? entry.written >= state_.kept_written
                       : entry.path.filename() == *state_.kept;
  }

  void remove(const Entry& entry) {
    std::error_code failure;
    if (fs::remove_all(entry.path, failure) > 0 && !failure) ++result_.removed;
    if (failure && failure != std::errc::no_such_file_or_directory)
      throw SystemError("remove", entry.path.string(), failure.value());
  }

  fs::path part_;
  const SliceLimits& limits_;
  SweepState& state_;
  std::int64_t oldest_;
  std::int64_t oldest_unfinished_;
  SteadyClock::time_point begun_ = SteadyClock::now();
  bool has_advanced_ = false;
  std::string newest_profile_;  // of the folder that is looked at
  SweepResult result_;
};

// Files beyond the quota go in a sweep that follows at once; that one is not followed.
bool end_sweep(const Retention& retention, SweepState& state, std::int64_t now) {
  const std::int64_t cutoff =
      state.cutoff != 0 ? 0 : state.cutoff_for({retention.most_files, retention.most_bytes.value});
  state = {};
  state.ended = now;
  state.cutoff = cutoff;
  if (cutoff != 0) state.begin(now);
  return cutoff == 0;
}

SweepResult run_slice(const SweepFile& file, SweepState& state, const fs::path& part,
                      const Retention& retention, const SliceLimits& limits, std::int64_t now) {
  if (state.begun == 0) state.begin(now);
  Slice slice(part, retention, limits, state, now);
  SweepResult result;
  try {
    const bool all = slice.run();
    result = slice.result();
    result.finished = all && end_sweep(retention, state, now);
  } catch (const Error&) {  // the next slice goes on behind what could not be read or removed
    file.write(state);
    throw;
  }
  file.write(state);
  return result;
}

}  // namespace

bool sweep_is_due(const Store& store, const std::string& user, TimePoint now) {
  try {
    const auto state = peek_at_sweep(store.part_of(user));
    return !state || state->is_due(seconds_of(now));
  } catch (const Error&) {
    return false;
  }
}

std::optional<SweepResult> sweep_slice(const Store& store, const std::string& user,
                                       const Retention& retention, const SliceLimits& limits,
                                       TimePoint now) {
  const fs::path part = store.part_of(user);
  if (!is_own_folder(part)) return std::nullopt;
  std::optional<SweepFile> file;
  {
    constexpr std::chrono::seconds kPatience{1};
    const StoreEntrance entrance(store, StoreEntrance::Clock::now() + kPatience);
    if (!entrance.held()) return std::nullopt;
    file.emplace(part);
  }
  if (!file->held()) return std::nullopt;
  SweepState state = file->read();
  if (!state.is_due(seconds_of(now))) return std::nullopt;
  return run_slice(*file, state, part, retention, limits, seconds_of(now));
}

std::optional<SweepResult> sweep_now(const Store& store, const std::string& user,
                                     const Retention& retention, TimePoint now) {
  constexpr SliceLimits kNone{SIZE_MAX, std::chrono::hours(24)};
  const fs::path part = store.part_of(user);
  if (!is_own_folder(part)) return std::nullopt;
  const SweepFile file(part);
  if (!file.held()) return std::nullopt;
  SweepState state;
  SweepResult all;
  while (!all.finished) {
    const SweepResult more = run_slice(file, state, part, retention, kNone, seconds_of(now));
    all.looked_at += more.looked_at;
    all.removed += more.removed;
    all.finished = more.finished;
  }
  return all;
}

void keep_in_use(const fs::path& file) {
  const std::array<timespec, 2> now{{{0, UTIME_OMIT}, {0, UTIME_NOW}}};
  static_cast<void>(::utimensat(AT_FDCWD, file.c_str(), now.data(), AT_SYMLINK_NOFOLLOW));
}

}  // namespace huddle::store
