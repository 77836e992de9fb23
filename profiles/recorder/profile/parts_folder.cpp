#include "profiles/recorder/profile/parts_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/recorder/process/byte_packing.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "huddle profile piece 1\n";
constexpr std::string_view kOrderMark = "huddle merge order 1\n";

// A rank's record is some kilobytes; what is larger than this was not written by us.
constexpr std::uint64_t kLargestPart = std::uint64_t{64} << 20U;

constexpr std::string_view kFolderMark = ".parts-";
constexpr const char* kOrderName = "order";

// A piece in a file or message. Of a rank's two files the one with the higher number is newer.
struct StoredPiece {
  std::uint64_t number = 0;
  std::uint64_t hash = 0;
  Piece piece;
};

struct StoredOrder {
  std::uint8_t ended = 0;
  std::uint8_t cbor = 0;
  std::string head;
};

}  // namespace

template <class Archive>
void visit_members(Archive& archive, StoredPiece& stored) {
  archive(stored.number, stored.hash, stored.piece.record, stored.piece.shared);
}

template <class Archive>
void visit_members(Archive& archive, StoredOrder& stored) {
  archive(stored.ended, stored.cbor, stored.head);
}

namespace {

std::uint64_t hash_of_piece(const Piece& piece) {
  return huddle::hash_of(piece.record) ^ huddle::hash_of(piece.shared);
}

StoredPiece unpacked(std::string_view text, std::string_view origin) {
  auto stored = unpacked_bytes<StoredPiece>(kMark, text, origin);
  if (hash_of_piece(stored.piece) != stored.hash)
    throw FormatError(origin, "the piece", "content that was being written",
                      "a rank's whole record");
  return stored;
}

std::optional<StoredPiece> read_part(const fs::path& path) {
  try {
    return unpacked(files::read_file(path, kLargestPart), path.string());
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

}  // namespace

std::string Piece::packed(std::uint64_t number) const {
  return packed_bytes(kMark, StoredPiece{number, hash_of_piece(*this), *this});
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

PartsFolder::PartsFolder(const fs::path& profile, std::uint64_t run)
    : path_(profile.parent_path() /
            fmt::format(".{}{}{:016x}", profile.filename().string(), kFolderMark, run)) {}

bool PartsFolder::exists() const {
  std::error_code absent;
  return fs::exists(path_, absent);
}

std::optional<std::string> PartsFolder::profile_of(const std::string& name) {
  const std::size_t at = name.rfind(kFolderMark);
  if (!name.starts_with('.') || at == std::string::npos ||
      name.find_first_not_of("0123456789abcdef", at + kFolderMark.size()) != std::string::npos)
    return std::nullopt;
  return name.substr(1, at - 1);
}

bool PartsFolder::is_part(const std::string& name) {
  return rank_of(name).has_value();
}

fs::path PartsFolder::file_of(std::uint32_t rank, bool second) const {
  return path_ / fmt::format("{}{}", rank, second ? 'b' : 'a');
}

void PartsFolder::make() const {
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST)
    throw SystemError("make", path_.string(), errno);
}

void PartsFolder::write(const fs::path& path, const std::string& text) {
  static constexpr int kFlags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  const files::OpenFile file(::open(path.c_str(), kFlags, 0600),
                             path.string());  // NOLINT: C's interface
  if (file.descriptor() < 0) throw SystemError("create", path.string(), errno);
  file.write(text);
  if (::ftruncate(file.descriptor(), static_cast<off_t>(text.size())) != 0)
    throw SystemError("write", path.string(), errno);
}

std::vector<std::uint32_t> PartsFolder::ranks() const {
  std::vector<std::uint32_t> ranks;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(path_, absent))
    if (const auto rank = rank_of(entry.path().filename().string())) ranks.push_back(*rank);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

Piece PartsFolder::read(std::uint32_t rank) const {
  const auto first = read_part(file_of(rank, false));
  const auto second = read_part(file_of(rank, true));
  if (first && (!second || second->number < first->number)) return first->piece;
  return second ? second->piece : Piece{};
}

void PartsFolder::merge(const fs::path& profile, const MergeOrder& order) const {
  const files::OpenFile folder(
      ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC),  // NOLINT: C's
      path_.string());
  if (folder.descriptor() < 0 && errno == ENOENT) return;
  if (folder.descriptor() < 0) throw SystemError("open", path_.string(), errno);
  ::flock(folder.descriptor(), LOCK_EX);  // where it is not to be had, the last one wins
  const auto present = ranks();
  if (present.empty()) return;  // another one was faster
  write_profile(profile, order, present);
  if (order.state == RunState::kEnded) remove();
}

void PartsFolder::write_profile(const fs::path& profile, const MergeOrder& order,
                                const std::vector<std::uint32_t>& ranks) const {
  files::AtomicFile file(profile);
  file.write(order.head);
  CollectedTables tables;
  bool first = true;
  for (const std::uint32_t rank : ranks) {
    const Piece piece = read(rank);
    if (piece.record.empty()) continue;
    if (!std::exchange(first, false)) file.write(rank_record_separator(order.encoding));
    file.write(piece.record);
    tables.add(piece.shared);
  }
  file.write(encode_profile_tail(tables.take(), order.encoding));
  file.commit_soon();  // a rank that does this may be about to end
}

fs::path PartsFolder::order_file() const {
  return path_ / kOrderName;
}

void PartsFolder::leave_order(const MergeOrder& order) const {
  const StoredOrder stored{order.state == RunState::kEnded, order.encoding == Encoding::kCbor,
                           order.head};
  files::AtomicFile file(order_file());
  file.write(packed_bytes(kOrderMark, stored));
  file.commit_soon();
}

std::optional<MergeOrder> PartsFolder::order() const {
  try {
    const std::string path = order_file().string();
    auto stored =
        unpacked_bytes<StoredOrder>(kOrderMark, files::read_file(path, kLargestPart), path);
    return MergeOrder{stored.ended != 0 ? RunState::kEnded : RunState::kGoesOn,
                      stored.cbor != 0 ? Encoding::kCbor : Encoding::kJson, std::move(stored.head)};
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Nothing but what is ours, in case the folder is not.
void PartsFolder::remove() const {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path_))
    if (const std::string name = entry.path().filename().string();
        is_part(name) || name == kOrderName)
      files.push_back(entry.path());
  for (const fs::path& file : files) ::unlink(file.c_str());
  ::rmdir(path_.c_str());
}

}  // namespace huddle::recorder
