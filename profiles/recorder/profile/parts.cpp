#include "profiles/recorder/profile/parts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/recorder/process/byte_packing.hpp"
#include "profiles/recorder/process/signals.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {
namespace {

constexpr std::string_view kMark = "huddle profile piece 1\n";

// A rank's record is some kilobytes; what is larger than this was not written by us.
constexpr std::uint64_t kLargestPart = std::uint64_t{1} << 32U;

constexpr std::string_view kFolderMark = ".parts-";

// A piece in a file or message. Of a rank's two files the one with the higher number is newer.
struct StoredPiece {
  std::uint64_t number = 0;
  std::uint64_t hash = 0;
  Piece piece;
};

}  // namespace

template <class Archive>
void visit_members(Archive& archive, StoredPiece& stored) {
  archive(stored.number, stored.hash, stored.piece.record, stored.piece.shared);
}

namespace {

std::uint64_t hash_of_piece(const Piece& piece) {
  return huddle::hash_of(piece.record) ^ huddle::hash_of(piece.shared);
}

std::string packed(std::uint64_t number, const Piece& piece) {
  return packed_bytes(kMark, StoredPiece{number, hash_of_piece(piece), piece});
}

StoredPiece unpacked(std::string_view text, std::string_view origin) {
  auto stored = unpacked_bytes<StoredPiece>(kMark, text, origin);
  if (hash_of_piece(stored.piece) != stored.hash)
    throw FormatError(origin, "the piece", "content that was being written",
                      "a rank's whole record");
  return stored;
}

std::optional<StoredPiece> read_part(const std::filesystem::path& path) {
  try {
    return unpacked(read_file(path, kLargestPart), path.string());
  } catch (const Error&) {
    return std::nullopt;  // killed while it was written, or never begun
  }
}

// The rank whose part has this name.
std::optional<std::uint32_t> rank_of(const std::string& name) {
  std::uint32_t rank = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data(), last, rank);
  const std::string_view rest(end, static_cast<std::size_t>(last - end));
  if (error != std::errc{} || (rest != "a" && rest != "b")) return std::nullopt;
  if (name.starts_with('0') && end != name.data() + 1) return std::nullopt;  // "007a" is not ours
  return rank;
}

bool is_folder_of_parts(const std::string& name) {
  const std::size_t at = name.rfind(kFolderMark);
  return name.starts_with('.') && at != std::string::npos &&
         name.find_first_not_of("0123456789abcdef", at + kFolderMark.size()) == std::string::npos;
}

void write_whole(const std::filesystem::path& path, const std::string& text) {
  static constexpr int kFlags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  const OpenFile file(::open(path.c_str(), kFlags, 0600), path.string());  // NOLINT: C's interface
  if (file.descriptor() < 0) throw SystemError("create", path.string(), errno);
  file.write(text);
  if (::ftruncate(file.descriptor(), static_cast<off_t>(text.size())) != 0)
    throw SystemError("write", path.string(), errno);
}

}  // namespace

std::string Piece::packed() const {
  return recorder::packed(0, *this);
}

Piece Piece::unpacked(std::string_view text, std::string_view origin) {
  return recorder::unpacked(text, origin).piece;
}

// Each communicator comes from one rank: no need to look for it among the others each time.
void CollectedTables::add(std::string_view encoded) {
  SharedTables tables = decode_shared_tables(encoded);
  std::move(tables.communicators.begin(), tables.communicators.end(),
            std::back_inserter(communicators_));
  tables.communicators.clear();
  tables_.merge(tables);
}

SharedTables CollectedTables::take() {
  const auto by_id = [](const Communicator& a, const Communicator& b) { return a.id < b.id; };
  const auto same = [](const Communicator& a, const Communicator& b) { return a.id == b.id; };
  std::sort(communicators_.begin(), communicators_.end(), by_id);
  communicators_.erase(std::unique(communicators_.begin(), communicators_.end(), same),
                       communicators_.end());
  tables_.communicators = std::move(communicators_);
  return std::move(tables_);
}

Parts::Parts(std::filesystem::path profile, std::uint64_t run, std::uint32_t rank,
             std::chrono::system_clock::time_point started)
    : profile_(std::move(profile)),
      folder_(profile_.parent_path() /
              fmt::format(".{}{}{:016x}", profile_.filename().string(), kFolderMark, run)),
      rank_(rank),
      started_(started) {}

std::filesystem::path Parts::file_of(std::uint32_t rank, bool second) const {
  return folder_ / fmt::format("{}{}", rank, second ? 'b' : 'a');
}

// If the profile was written since the run began although there are no parts, another rank has
// ended the run.
bool Parts::ended_before_first_part() const {
  std::error_code absent;
  const auto time = std::filesystem::last_write_time(profile_, absent);
  return !absent && std::chrono::file_clock::to_sys(time) >= started_ &&
         !std::filesystem::exists(folder_, absent);
}

bool Parts::write(const Piece& piece) {
  if (written_ == 0) {
    if (ended_before_first_part()) return false;
    if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
      throw SystemError("make", folder_.string(), errno);
  } else if (std::error_code absent; !std::filesystem::exists(folder_, absent)) {
    return false;
  }
  const std::uint64_t number = ++written_;
  write_whole(file_of(rank_, number % 2 == 0), packed(number, piece));
  return true;
}

std::vector<std::uint32_t> Parts::ranks() const {
  std::vector<std::uint32_t> ranks;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, absent))
    if (const auto rank = rank_of(entry.path().filename().string())) ranks.push_back(*rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

Piece Parts::read(std::uint32_t rank) const {
  const auto first = read_part(file_of(rank, false));
  const auto second = read_part(file_of(rank, true));
  if (first && (!second || second->number < first->number)) return first->piece;
  return second ? second->piece : Piece{};
}

void Parts::make_profile(const Profile& description, Encoding encoding, RunState state) const {
  const OpenFile folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC),  // NOLINT: C's
                        folder_.string());
  if (folder.descriptor() < 0 && errno == ENOENT) return;
  if (folder.descriptor() < 0) throw SystemError("open", folder_.string(), errno);
  ::flock(folder.descriptor(), LOCK_EX);  // where it is not to be had, the last one wins
  const auto present = ranks();
  if (present.empty()) return;  // another one was faster
  write_profile(description, encoding, present);
  if (state == RunState::kEnded) remove_parts(folder_);
}

void Parts::write_profile(const Profile& description, Encoding encoding,
                          const std::vector<std::uint32_t>& ranks) const {
  AtomicFile file(profile_);
  file.write(encode_profile_head(description, encoding));
  CollectedTables tables;
  bool first = true;
  for (const std::uint32_t rank : ranks) {
    const Piece piece = read(rank);
    if (piece.record.empty()) continue;
    if (!std::exchange(first, false)) file.write(rank_record_separator(encoding));
    file.write(piece.record);
    tables.add(piece.shared);
  }
  file.write(encode_profile_tail(tables.take(), encoding));
  file.commit();
}

void Parts::remove() noexcept {
  if (written_ == 0) return;
  for (const bool second : {false, true}) ::unlink(file_of(rank_, second).c_str());
  ::rmdir(folder_.c_str());  // the last rank succeeds
}

// Nothing but what is ours, in case the folder is not.
void Parts::remove_parts(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (const std::string name = entry.path().filename().string(); rank_of(name))
      files.push_back(entry.path());
  for (const std::filesystem::path& file : files) ::unlink(file.c_str());
  ::rmdir(folder.c_str());
}

void Parts::remove_all() const noexcept {
  try {
    remove_parts(folder_);
  } catch (...) {  // it is not there
  }
}

void Parts::remove_stale(const std::filesystem::path& folder,
                         std::filesystem::file_time_type before) noexcept {
  try {
    const auto written_since = [&](const std::filesystem::path& parts) {
      for (const auto& part : std::filesystem::directory_iterator(parts))
        if (part.last_write_time() >= before) return true;
      return std::filesystem::last_write_time(parts) >= before;
    };
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.is_directory() && !entry.is_symlink() &&
          is_folder_of_parts(entry.path().filename().string()) && !written_since(entry.path()))
        remove_parts(entry.path());
  } catch (...) {  // the next run tries again
  }
}

Snapshots::Snapshots(std::function<void()> action, Duration first, Duration period)
    : action_(std::move(action)) {
  const NoSignals no_signals;
  thread_ = std::thread([this, first, period] { run(first, period); });
  pthread_setname_np(thread_.native_handle(), "huddle");
}

Snapshots::~Snapshots() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Snapshots::run(Duration first, Duration period) {
  std::unique_lock lock(mutex_);
  for (Duration pause = first; !wake_.wait_for(lock, pause, [this] { return stopped_; });
       pause = period) {
    lock.unlock();
    action_();
    lock.lock();
  }
}

}  // namespace huddle::recorder
