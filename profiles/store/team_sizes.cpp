#include "profiles/store/team_sizes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/files/owned_descriptor.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConsent = ".consent";
constexpr const char* kBegun = ".begun";
constexpr const char* kEnded = ".ended";
constexpr std::uint64_t kMostConsentBytes = 64 * 1024;
// A variable has room for some hundred; who consents to more has an old one forgotten.
constexpr std::size_t kMostPrograms = 256;

// Build ids name files.
bool is_build_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 &&
         id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string first_line_in(const fs::path& path) {
  try {
    const std::string text = files::read_own_file(path, kMostConsentBytes);
    return text.substr(0, text.find('\n'));
  } catch (const Error&) {
    return {};
  }
}

// Behind the first line.
std::string rest_behind_line_in(const fs::path& path) {
  try {
    const std::string text = files::read_own_file(path, kMostConsentBytes);
    const std::size_t end = text.find('\n');
    return end == std::string::npos ? std::string() : text.substr(end + 1);
  } catch (const Error&) {
    return {};
  }
}

void write_consent_file(const fs::path& path, std::string_view text) {
  files::make_way(path);
  files::AtomicFile file(path, 0600);
  file.write(text);
  file.commit();
}

bool remove_consent_file(const fs::path& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == EISDIR)
    files::clear_name(path);  // something else that has taken the name
  else if (errno != ENOENT)
    throw SystemError("remove", path.string(), errno);
  return false;
}

// Also the name of what was made in the folder.
void make_folder_durable(const fs::path& folder) {
  const files::OwnedDescriptor descriptor(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.valid() || ::fsync(descriptor.number()) != 0)
    throw SystemError("write", folder.string(), errno);
}

}  // namespace

std::string_view word_of(SizesState state) {
  constexpr std::array<std::string_view, 4> kWords = {"keep", "audit", "harm", "act"};
  return kWords.at(static_cast<std::size_t>(state));
}

fs::path SizesConsents::folder_in(const Store& store, const std::string& user) {
  return store.team_sizes_folder(user);
}

fs::path SizesConsents::file(const std::string& build_id, const char* kind) const {
  if (!is_build_id(build_id))
    throw Error(fmt::format("found \"{}\", expected a build id", shortened(build_id)));
  return folder_ / (build_id + kind);
}

// The older run's marks go first: what is left if this is interrupted never allows more.
void SizesConsents::give(const std::string& build_id, const std::string& program) const {
  withdraw(build_id);
  write_consent_file(file(build_id, kConsent), program + "\n");
}

bool SizesConsents::withdraw(const std::string& build_id) const {
  const bool had = remove_consent_file(file(build_id, kConsent));
  remove_consent_file(file(build_id, kEnded));
  remove_consent_file(file(build_id, kBegun));
  return had;
}

SizesState SizesConsents::state_of(const std::string& build_id) const {
  if (!is_build_id(build_id) || first_line_in(file(build_id, kConsent)).empty())
    return SizesState::kKeep;
  const fs::path begun = file(build_id, kBegun);
  std::error_code failure;
  if (fs::symlink_status(begun, failure).type() == fs::file_type::not_found)
    return SizesState::kAudit;
  const std::string token = first_line_in(begun);
  const bool ended = !token.empty() && first_line_in(file(build_id, kEnded)) == token;
  return ended ? SizesState::kAct : SizesState::kHarm;
}

std::vector<std::string> SizesConsents::in_state(SizesState state,
                                                 const std::vector<std::string>& builds) const {
  std::vector<std::string> found;
  for (const std::string& build_id : builds)
    if (state_of(build_id) == state) found.push_back(build_id);
  return found;
}

std::vector<SizesConsent> SizesConsents::all() const {
  std::vector<SizesConsent> consents;
  for (const std::string& name : files::names_in(folder_)) {
    if (!name.ends_with(kConsent)) continue;
    const std::string build_id = name.substr(0, name.size() - std::string_view(kConsent).size());
    const SizesState state = state_of(build_id);
    if (state == SizesState::kKeep) continue;
    consents.push_back({build_id, first_line_in(file(build_id, kConsent)), state, {}});
    if (state == SizesState::kAct)
      consents.back().seen = rest_behind_line_in(file(build_id, kEnded));
  }
  std::sort(consents.begin(), consents.end(),
            [](const auto& a, const auto& b) { return a.build_id < b.build_id; });
  return consents;
}

std::string SizesConsents::for_ranks(const std::string& token) const {
  std::string text = token;
  std::size_t programs = 0;
  for (const SizesConsent& consent : all()) {
    if (consent.state == SizesState::kHarm || programs == kMostPrograms) continue;
    text += fmt::format(" {}={}", consent.build_id, word_of(consent.state));
    ++programs;
  }
  return programs == 0 ? std::string() : text + " " + folder_.string();
}

// Only one of several ranks that come at once makes the link; what it leads to is whole.
bool SizesConsents::begin_audit(const std::string& build_id, const std::string& token) const {
  const fs::path begun = file(build_id, kBegun);
  if (first_line_in(file(build_id, kConsent)).empty()) return false;
  const fs::path own =
      folder_ / fmt::format("{}.by-{}-{}", build_id, new_sizes_token(), ::gettid());
  write_consent_file(own, token + "\n");
  const int failure = ::link(own.c_str(), begun.c_str()) == 0 ? 0 : errno;
  remove_consent_file(own);
  if (failure != 0 && failure != EEXIST) throw SystemError("make", begun.string(), failure);
  if (failure == 0) make_folder_durable(folder_);
  // A run that has ended is not gone on with by another one that has its token.
  return first_line_in(begun) == token && first_line_in(file(build_id, kEnded)) != token;
}

void SizesConsents::end_audit(const std::string& build_id, const std::string& token,
                              std::string_view seen) const {
  if (first_line_in(file(build_id, kBegun)) != token) return;
  write_consent_file(file(build_id, kEnded), fmt::format("{}\n{}", token, seen));
}

void SizesConsents::doubt_audit(const std::string& token) const {
  for (const SizesConsent& consent : all())
    if (first_line_in(file(consent.build_id, kEnded)).starts_with(token))
      remove_consent_file(file(consent.build_id, kEnded));
}

std::string new_sizes_token() {
  std::string name = processes::host_name();
  std::replace(name.begin(), name.end(), ' ', '_');
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("{}-{}-{}", name, ::getpid(),
                     std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::vector<std::string> programs_that_try(std::string_view text) {
  std::vector<std::string> programs;
  take_until(text, ' ');
  while (!text.empty() && !text.starts_with('/')) {
    const std::string_view word = take_until(text, ' ');
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos && word.substr(equals) == "=audit" &&
        is_build_id(word.substr(0, equals)))
      programs.emplace_back(word.substr(0, equals));
  }
  return text.empty() ? std::vector<std::string>() : programs;
}

SizesForProgram parse_team_sizes(std::string_view text, std::string_view build_id) {
  SizesForProgram found;
  found.token = take_until(text, ' ');
  while (!text.empty() && !text.starts_with('/')) {
    const std::string_view word = take_until(text, ' ');
    if (build_id.empty() || !word.starts_with(build_id)) continue;
    const std::string_view state = word.substr(build_id.size());
    if (state == "=audit") found.state = SizesState::kAudit;
    if (state == "=act") found.state = SizesState::kAct;
  }
  found.folder = text;
  if (text.empty() || found.token.empty()) found.state = SizesState::kKeep;
  return found;
}

}  // namespace huddle::store
