#include "spank_plugin/plugin/client/answer_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::plugin {
namespace {

constexpr std::uint64_t kMostAnswers = 64;
constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 16U;

bool is_private_folder(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & 07777U) == 0700;
}

// A question holds no 0 byte: it is made of C strings.
std::string head_of(std::string_view question) {
  return std::string(question) + '\0';
}

}  // namespace

AnswerCache::AnswerCache(const std::string& runtime_directory) {
  if (!runtime_directory.starts_with('/') || !is_private_folder(runtime_directory)) return;
  const std::filesystem::path folder = std::filesystem::path(runtime_directory) / "huddle";
  ::mkdir(folder.c_str(), 0700);
  if (is_private_folder(folder)) folder_ = folder;
}

std::filesystem::path AnswerCache::file_for(std::string_view question) const {
  return folder_ / fmt::format("answer-{}", hash_of(question) % kMostAnswers);
}

std::optional<std::string> AnswerCache::find(std::string_view question,
                                             std::chrono::seconds most_age,
                                             std::chrono::system_clock::time_point now) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = file_for(question).string();
  const files::OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
                             path);
  if (file.descriptor() < 0) return std::nullopt;
  try {
    const struct stat status = file.status();
    const auto age = now - std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec);
    const bool from_the_future = age < std::chrono::seconds(-1);  // the clock was set
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || age >= most_age ||
        from_the_future)
      return std::nullopt;
    const std::string text = file.read(kMostAnswerBytes);
    const std::string head = head_of(question);
    if (!text.starts_with(head)) return std::nullopt;
    return text.substr(head.size());
  } catch (const Error&) {
    return std::nullopt;
  }
}

void AnswerCache::keep(std::string_view question, std::string_view answer) const {
  if (folder_.empty() || question.size() + answer.size() >= kMostAnswerBytes) return;
  try {
    files::make_way(file_for(question));
    files::AtomicFile file(file_for(question), 0600);
    file.write(head_of(question));
    file.write(answer);
    file.commit_soon();
  } catch (const Error&) {  // the next submission asks again
  }
}

std::string AnswerCache::answer(std::string_view question, std::chrono::seconds most_age,
                                const std::function<std::string()>& ask) const {
  if (auto kept = find(question, most_age)) return std::move(*kept);
  std::string answer = ask();
  keep(question, answer);
  return answer;
}

}  // namespace huddle::plugin
