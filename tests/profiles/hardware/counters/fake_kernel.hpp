#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/hardware/counters/kernel.hpp"
#include "profiles/hardware/counters/reading.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::counters {

/// A kernel that counts what the test says. Its /sys and /proc are directories of the test; its
/// events have true descriptors, so that closing them, and taking their numbers, can be tested.
/// Must outlive the CounterSets made with it.
class FakeKernel {
 public:
  struct Opened {
    EventRequest request;
    int descriptor = -1;
    std::uint64_t id = 0;
    std::uint64_t inode = 0;
  };

  FakeKernel() = default;
  ~FakeKernel();
  FakeKernel(const FakeKernel&) = delete;
  FakeKernel& operator=(const FakeKernel&) = delete;

  [[nodiscard]] Kernel kernel();

  using Files = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  /// Below /sys/bus/event_source/devices: `files` are paths in the PMU's directory and contents.
  void add_pmu(std::string_view name, std::uint32_t type, Files files = {});
  void set_paranoid(int level);
  void add_thread(pid_t thread);

  /// Returns the errno value that a request is refused with; 0 lets it pass.
  std::function<int(const EventRequest&)> refuse = [](const EventRequest&) { return 0; };
  /// Returns what an event shows now.
  std::function<Sample(const EventRequest&)> show = [](const EventRequest&) { return Sample{}; };
  ProcessUsage usage;
  std::uint64_t cpu_time = 0;
  std::size_t most_descriptors = 256;

  /// The events that were opened, in that order, those that were closed too, without the attempts
  /// that were refused and without the events that count nothing.
  [[nodiscard]] std::vector<Opened> opened() const;
  /// The number of open events.
  [[nodiscard]] std::size_t open_now() const;
  /// The number of calls of read(2).
  [[nodiscard]] std::size_t reads() const { return reads_; }

 private:
  [[nodiscard]] const Opened* behind(int descriptor) const;
  int open(const EventRequest& request);
  long read(int descriptor, void* buffer, std::size_t size);

  store::TemporaryDirectory root_;
  std::vector<Opened> opened_;
  std::size_t reads_ = 0;
};

}  // namespace huddle::counters
