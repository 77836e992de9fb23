#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace huddle::render {

/// Writes `text` to the standard output, or atomically to `file` if it is not empty. Throws
/// SystemError, also if the standard output takes no more.
void put_out(std::string_view text, const std::string& file = {});

/// Throws UsageError, which names `option`, if `output` is one of `inputs`: what was measured would
/// be gone.
void refuse_to_replace(const std::vector<std::string>& inputs, std::string_view option,
                       const std::string& output);

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

/// The same for work whose length nobody knows: what is being done and for how long, renewed every
/// second by a thread of its own.
class StepProgress {
 public:
  /// `hint` stands at the end of the line.
  explicit StepProgress(std::string hint);
  ~StepProgress();
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;
  void begin(std::string_view step);

 private:
  void keep_showing(const std::stop_token& stop);

  std::string hint_;
  double started_s_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string step_;
  bool shown_ = false;
  std::jthread thread_;
};

}  // namespace huddle::render
