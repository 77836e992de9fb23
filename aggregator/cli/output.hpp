#pragma once

#include <string>
#include <string_view>

namespace huddle {

/// Writes `text` to the standard output, or atomically to `file` if it is not empty. Throws
/// SystemError, also if the standard output takes no more.
void put_out(std::string_view text, const std::string& file = {});

/// One line on standard error that is written over while work goes on: only on a terminal, and only
/// once it has taken 2 s.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::size_t done, std::size_t all);

 private:
  std::string what_;
  double started_s_;
  bool shown_ = false;
};

}  // namespace huddle
