#include "aggregator/render/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::render {
namespace {

constexpr double kPatienceSeconds = 2;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void put_out(std::string_view text, const std::string& file) {
  if (!file.empty()) {
    files::AtomicFile target(file);
    target.write(text);
    target.commit();
    return;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw SystemError("write", "the standard output", errno);
}

void refuse_to_replace(const std::vector<std::string>& inputs, std::string_view option,
                       const std::string& output) {
  for (const std::string& input : inputs) {
    std::error_code none;
    if (!std::filesystem::equivalent(input, output, none)) continue;
    throw UsageError(
        fmt::format("{} {}: this file is read, and would be gone: expected another name", option,
                    shortened(output)));
  }
}

Progress::Progress(std::string what) : what_(std::move(what)), started_s_(now_s()) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::show(std::size_t done, std::size_t all) {
  if (now_s() - started_s_ < kPatienceSeconds || isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\rhuddle: {} {} of {}", what_, done, all);
  shown_ = true;
}

StepProgress::StepProgress(std::string hint) : hint_(std::move(hint)), started_s_(now_s()) {
  if (isatty(STDERR_FILENO) != 0)
    thread_ = std::jthread([this](const std::stop_token& stop) { keep_showing(stop); });
}

StepProgress::~StepProgress() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  if (shown_) std::fputs("\r\033[K", stderr);
}

void StepProgress::begin(std::string_view step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
}

void StepProgress::keep_showing(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const double taken = now_s() - started_s_;
    if (taken >= kPatienceSeconds) {
      fmt::print(stderr, "\r\033[Khuddle: {}, {:.0f} s ({})", step_, taken, hint_);
      std::fflush(stderr);
      shown_ = true;
    }
    changed_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
  }
}

}  // namespace huddle::render
