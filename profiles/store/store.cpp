#include "profiles/store/store.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <utility>

#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOutcomePrefix = "outcome-";
// A file name holds 255 bytes on Linux; an escaped byte takes three.
constexpr std::size_t kLongestName = 200;

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '+' || c == '.';
}

// Any text as one folder's name, two texts never the same: unusual bytes become %XX, and what is
// too long ends in a hash of the whole.
std::string folder_name(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool hidden = i == 0 && text[i] == '.';
    if (plain(text[i]) && !hidden)
      name += text[i];
    else
      name += fmt::format("%{:02X}", static_cast<unsigned char>(text[i]));
  }
  if (name.empty()) return "%";
  if (name.size() <= kLongestName) return name;
  return name.substr(0, kLongestName) + fmt::format("%%{:016x}", hash_of(text));
}

// The text that has this folder; the folder's name itself if it was cut.
std::string text_of_folder(std::string_view name) {
  if (name == "%") return {};
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    unsigned byte = static_cast<unsigned char>(name[i]);
    if (name[i] == '%') {
      const std::string_view digits = name.substr(i + 1, 2);
      const auto [end, failure] =
          std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
      if (name.size() > kLongestName || failure != std::errc{} || end != digits.data() + 2)
        return std::string(name);
      i += 2;
    }
    text += static_cast<char>(byte);
  }
  return text;
}

void make_directory(const fs::path& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST)
    throw SystemError("make the directory", path.string(), errno);
}

// The number of the user of that name, or of this process if there is none of it.
uid_t number_of(const std::string& user) {
  const passwd* entry = ::getpwnam(user.c_str());
  return entry != nullptr ? entry->pw_uid : ::geteuid();
}

bool is_of(const struct stat& status, uid_t owner) {
  return S_ISDIR(status.st_mode) && status.st_uid == owner;
}

// In a site's directory anybody can make a folder of any name. What is in one that somebody else
// made, or that a link leads to, is not the user's.
void check_owner(const fs::path& path, const std::string& user) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw SystemError("read", path.string(), errno);
  if (!is_of(status, number_of(user)))
    throw Error(fmt::format("{} is not a directory of user {}: remove it, or ask its owner to",
                            path.string(), user));
}

// Throws Error unless there is no such part or it is the user's.
void check_part(const fs::path& part, const std::string& user) {
  std::error_code failure;
  if (fs::symlink_status(part, failure).type() != fs::file_type::not_found) check_owner(part, user);
}

// Adds rights to a directory of this process's user; a link that takes its place meanwhile is not
// followed.
void add_rights(const fs::path& path, mode_t rights) {
  const files::OpenFile directory(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path.string());
  if (directory.descriptor() < 0) throw SystemError("open", path.string(), errno);
  const mode_t mode = directory.status().st_mode & 07777U;
  if ((mode & rights) != rights && ::fchmod(directory.descriptor(), mode | rights) != 0)
    throw SystemError("let others read", path.string(), errno);
}

bool is_outcome_name(std::string_view name) {
  return name.starts_with(kOutcomePrefix) && name.ends_with(".json");
}

std::string timed_name(std::string_view prefix, std::string_view identity,
                       std::string_view extension, std::chrono::system_clock::time_point when) {
  const auto time = std::chrono::floor<std::chrono::milliseconds>(when);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{}{:%Y%m%dT%H%M%S}.{:03}Z-{}{}", prefix,
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     (time - seconds).count(), identity, extension);
}

// The wanted entries of a folder; none if there is no such folder.
template <class Wanted>
std::vector<fs::path> entries_of(const fs::path& folder, Wanted wanted) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure))
    if (wanted(*it)) entries.push_back(it->path());
  if (failure && failure != std::errc::no_such_file_or_directory)
    throw SystemError("read", folder.string(), failure.value());
  return entries;
}

bool is_document(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && (name.ends_with(".json") || name.ends_with(".cbor"));
}

// The files in a folder: a link is not followed, wherever it leads to, and a folder is no
// document.
std::vector<fs::path> files_of(const fs::path& folder) {
  return entries_of(folder, [](const fs::directory_entry& entry) {
    std::error_code unknown;
    return !entry.is_symlink(unknown) && entry.is_regular_file(unknown);
  });
}

// Those that have the prefix, newest first.
std::vector<fs::path> documents_in(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found = files_of(folder);
  std::erase_if(
      found, [&](const fs::path& path) { return !is_document(path.filename().string(), prefix); });
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

std::vector<fs::path> folders_of(const fs::path& folder) {
  return entries_of(folder, [](const fs::directory_entry& entry) {
    std::error_code unknown;
    return entry.is_directory(unknown);
  });
}

const passwd* user_entry() {
  return ::getpwuid(::geteuid());
}

}  // namespace

Store::Store(fs::path root) : root_(std::move(root)) {}

fs::path Store::part_of(const std::string& user) const {
  fs::path usual = root_ / folder_name(user);
  const uid_t owner = number_of(user);
  struct stat status {};
  const bool exists = ::lstat(usual.c_str(), &status) == 0;
  if (exists ? is_of(status, owner) : errno != ENOENT) return usual;
  // No name of a user has a '~' in its folder's name.
  fs::path other = root_ / fmt::format("{}~{}", folder_name(user), owner);
  if (exists || (::lstat(other.c_str(), &status) == 0 && is_of(status, owner))) return other;
  return usual;
}

StoredUsers Store::users() const {
  StoredUsers users;
  for (const fs::path& path : entries_of(root_, [](const auto&) { return true; })) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;  // removed meanwhile
    if (!S_ISDIR(status.st_mode) && !S_ISLNK(status.st_mode)) continue;
    if (path.filename() == "lost+found") continue;  // the file system's
    const passwd* owner = S_ISDIR(status.st_mode) ? ::getpwuid(status.st_uid) : nullptr;
    const std::string name = owner != nullptr ? owner->pw_name : "";
    if (!name.empty() && part_of(name) == path)
      users.names.push_back(name);
    else
      users.passed_over.push_back(path);
  }
  std::sort(users.names.begin(), users.names.end());
  std::sort(users.passed_over.begin(), users.passed_over.end());
  return users;
}

std::string Store::why_part_is_elsewhere(const std::string& user) const {
  const fs::path usual = root_ / folder_name(user);
  const fs::path part = part_of(user);
  struct stat status {};
  if (part == usual || ::lstat(usual.c_str(), &status) != 0) return {};
  return fmt::format(
      "{} is not a directory of user {}, so {} is used: an administrator should "
      "remove it",
      usual.string(), user, part.string());
}

bool Store::is_profile(std::string_view name) {
  return is_document(name, kProfilePrefix);
}

bool Store::is_profile_of_any_run(std::string_view name) {
  return is_profile(name) || is_document(name, kPackedProfilePrefix) ||
         is_document(name, kBalancedProfilePrefix);
}

fs::path Store::folder(const StoreKey& key) const {
  return part_of(key.user) / folder_name(key.label) / std::to_string(key.ranks);
}

fs::path Store::make_part(const std::string& user, bool make_root) const {
  if (make_root) make_directory(root_, 0700);
  if (std::error_code ignored; !fs::is_directory(root_, ignored))
    throw Error(
        fmt::format("the profile directory {} does not exist: make it (mode 1777), or set "
                    "profiles.directory in huddle.toml",
                    root_.string()));
  make_directory(part_of(user), 0700);
  fs::path part = part_of(user);  // another one if somebody else was quicker
  make_directory(part, 0700);
  check_owner(part, user);
  return part;
}

fs::path Store::make_team_sizes_folder(const std::string& user, bool make_root) const {
  fs::path path = make_part(user, make_root) / kTeamSizesFolder;
  make_directory(path, 0700);
  return path;
}

fs::path Store::team_sizes_folder(const std::string& user) const {
  const fs::path part = part_of(user);
  check_part(part, user);
  return part / kTeamSizesFolder;
}

fs::path Store::make_folder(const StoreKey& key, bool make_root) const {
  const fs::path part = make_part(key.user, make_root);
  const fs::path path = part / folder_name(key.label) / std::to_string(key.ranks);
  // The user's part guards what is in it.
  make_directory(path.parent_path(), 0755);
  make_directory(path, 0755);
  return path;
}

void Store::let_read(const std::string& user, Readers readers) const {
  const mode_t rights = readers == Readers::kAll ? 0055 : readers == Readers::kGroup ? 0050 : 0;
  const fs::path part = part_of(user);
  std::error_code failure;
  if (rights == 0 || fs::symlink_status(part, failure).type() == fs::file_type::not_found) return;
  check_owner(part, user);
  add_rights(part, rights);
  struct stat root {};
  if (::lstat(root_.c_str(), &root) == 0 && root.st_uid == ::geteuid() && S_ISDIR(root.st_mode))
    add_rights(root_, rights & 0011);
}

bool Store::has_folder(const StoreKey& key) const {
  check_part(part_of(key.user), key.user);
  std::error_code ignored;
  return fs::is_directory(folder(key), ignored);
}

std::vector<fs::path> Store::profiles(const StoreKey& key) const {
  check_part(part_of(key.user), key.user);
  return documents_in(folder(key), kProfilePrefix);
}

std::vector<fs::path> Store::packed_profiles(const StoreKey& key) const {
  check_part(part_of(key.user), key.user);
  return documents_in(folder(key), kPackedProfilePrefix);
}

std::vector<std::string> Store::labels(const std::string& user) const {
  const fs::path part = part_of(user);
  check_part(part, user);
  std::vector<std::string> labels;
  for (const fs::path& folder : folders_of(part))
    if (const std::string name = folder.filename().string(); name != kTeamSizesFolder)
      labels.push_back(text_of_folder(name));
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::vector<std::uint32_t> Store::numbers_of_ranks(const std::string& user,
                                                   const std::string& label) const {
  const fs::path part = part_of(user);
  check_part(part, user);
  std::vector<std::uint32_t> numbers;
  for (const fs::path& folder : folders_of(part / folder_name(label))) {
    if (const auto ranks = number_in<std::uint32_t>(folder.filename().string()))
      numbers.push_back(*ranks);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<fs::path> Store::outcomes(std::string_view user,
                                      const std::optional<std::string>& label) const {
  const fs::path of_user = part_of(std::string(user));
  check_part(of_user, std::string(user));
  const std::vector<fs::path> labels =
      label ? std::vector<fs::path>{of_user / folder_name(*label)} : folders_of(of_user);
  std::vector<fs::path> found;
  for (const fs::path& of_label : labels)
    for (const fs::path& of_ranks : folders_of(of_label))
      for (fs::path& path : files_of(of_ranks))
        if (is_outcome_name(path.filename().string())) found.push_back(std::move(path));
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(a.filename(), a) < std::pair(b.filename(), b);
  });
  return found;
}

std::string Store::outcome_name(std::string_view identity,
                                std::chrono::system_clock::time_point when) {
  return timed_name(kOutcomePrefix, identity, ".json", when);
}

std::string Store::profile_name(std::string_view identity, std::string_view extension,
                                std::chrono::system_clock::time_point when,
                                std::string_view prefix) {
  return timed_name(prefix, identity, extension, when);
}

fs::path expand_home(std::string_view directory, std::string_view home) {
  if (directory.starts_with("~/")) return fs::path(home) / directory.substr(2);
  return directory;
}

std::string current_user() {
  const passwd* entry = user_entry();
  return entry != nullptr ? entry->pw_name : std::to_string(::geteuid());
}

std::vector<std::string> current_groups() {
  std::vector<gid_t> numbers(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  const int count = ::getgroups(static_cast<int>(numbers.size()), numbers.data());
  numbers.resize(static_cast<std::size_t>(std::max(count, 0)));
  std::vector<std::string> names;
  const auto add = [&](gid_t number) {
    if (const group* entry = ::getgrgid(number)) names.emplace_back(entry->gr_name);
  };
  for (const gid_t number : numbers) add(number);
  std::sort(names.begin(), names.end());
  add(::getegid());
  std::rotate(names.begin(), names.empty() ? names.end() : names.end() - 1, names.end());
  return names;
}

std::string current_home() {
  const passwd* entry = user_entry();
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "/";
}

}  // namespace huddle::store
