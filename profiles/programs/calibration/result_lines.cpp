#include "profiles/programs/calibration/result_lines.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace huddle::calibration {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw std::runtime_error("can't " + what + " " + path + ": " + std::strerror(errno));
}

// True if no other process writes the file. A run that was just stopped may take a while to end. On
// a file system without locks the answer is yes.
bool is_ours(int file) {
  constexpr int kTries = 100;
  constexpr useconds_t kNap = 100000;
  for (int i = 0; i < kTries; ++i) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    ::usleep(kNap);
  }
  return false;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file) content << file.rdbuf();
  return content.str();
}

}  // namespace

ResultLines::ResultLines(const std::string& path, const std::string& head) : path_(path) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail("open", path);
  if (!is_ours(file_)) throw std::runtime_error(path + ": another run is writing it");
  std::string content = content_of(path);
  content.resize(content.rfind('\n') + 1);  // 0 if there is none
  if (::ftruncate(file_, static_cast<off_t>(content.size())) != 0) fail("write", path);
  if (content.empty()) {
    add_line(head);
    return;
  }
  std::istringstream lines(content);
  std::string line;
  std::getline(lines, line);
  if (line != "{" + head + "}")
    throw std::runtime_error(path + ": it begins with " + line + ", this run would write {" + head +
                             "}: name another file, or start as many ranks as then");
  while (std::getline(lines, line)) keep_key_of(line);
}

ResultLines::~ResultLines() {
  if (file_ >= 0) ::close(file_);
}

// The key of a line is all but its last member, which is the measured one.
void ResultLines::keep_key_of(const std::string& line) {
  const std::size_t end = line.rfind(",\"");
  if (!line.empty() && line.front() == '{' && end != std::string::npos)
    keys_.insert(line.substr(1, end - 1));
}

void ResultLines::add(const std::string& key, const std::string& name, double value) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.9g", value);
  add_line(key + ",\"" + name + "\":" + number.data());
  keys_.insert(key);
}

void ResultLines::add_line(const std::string& members) {
  const std::string line = "{" + members + "}\n";
  if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    fail("write", path_);
}

}  // namespace huddle::calibration
