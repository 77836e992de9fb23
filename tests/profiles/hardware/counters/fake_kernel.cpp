#include "tests/profiles/hardware/counters/fake_kernel.hpp"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace huddle::counters {
namespace {

std::uint64_t inode_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

bool is_dummy(const FakeKernel::Opened& event) {
  return event.request.code == EventCode{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, 0};
}

}  // namespace

FakeKernel::~FakeKernel() {
  for (const Opened& event : opened_)
    if (behind(event.descriptor) == &event) ::close(event.descriptor);
}

// The event that this number stands for now, if it does not stand for a file of somebody else.
const FakeKernel::Opened* FakeKernel::behind(int descriptor) const {
  const std::uint64_t inode = inode_of(descriptor);
  for (const Opened& event : opened_)
    if (event.descriptor == descriptor && event.inode == inode) return &event;
  return nullptr;
}

Kernel FakeKernel::kernel() {
  Kernel kernel;
  kernel.calls.context = this;
  kernel.calls.open_event = [](void* self, const EventRequest& request) {
    return static_cast<FakeKernel*>(self)->open(request);
  };
  kernel.calls.read_event = [](void* self, int descriptor, void* buffer, std::size_t size) {
    return static_cast<FakeKernel*>(self)->read(descriptor, buffer, size);
  };
  kernel.calls.event_id = [](void* self, int descriptor, std::uint64_t* id) {
    const Opened* event = static_cast<FakeKernel*>(self)->behind(descriptor);
    if (event == nullptr) return -ENOTTY;
    *id = event->id;
    return 0;
  };
  kernel.calls.close_event = [](void*, int descriptor) { ::close(descriptor); };
  kernel.calls.usage = [](void* self, ProcessUsage* result) {
    *result = static_cast<FakeKernel*>(self)->usage;
  };
  kernel.calls.cpu_time = [](void* self) { return static_cast<FakeKernel*>(self)->cpu_time; };
  kernel.sysfs = root_.path() / "sys";
  kernel.proc = root_.path() / "proc";
  kernel.most_descriptors = most_descriptors;
  return kernel;
}

void FakeKernel::add_pmu(std::string_view name, std::uint32_t type, Files files) {
  const std::filesystem::path directory = root_.path() / "sys/bus/event_source/devices" / name;
  std::filesystem::create_directories(directory);
  store::put_file(directory / "type", std::to_string(type) + "\n");
  for (const auto& [file, content] : files) {
    std::filesystem::create_directories((directory / file).parent_path());
    store::put_file(directory / file, content);
  }
}

void FakeKernel::set_paranoid(int level) {
  const std::filesystem::path directory = root_.path() / "proc/sys/kernel";
  std::filesystem::create_directories(directory);
  store::put_file(directory / "perf_event_paranoid", std::to_string(level) + "\n");
}

void FakeKernel::add_thread(pid_t thread) {
  std::filesystem::create_directories(root_.path() / "proc/self/task" / std::to_string(thread));
}

int FakeKernel::open(const EventRequest& request) {
  if (const int error = refuse(request); error != 0) return -error;
  if (request.leader >= 0 && behind(request.leader) == nullptr) return -EBADF;
  Opened event;
  event.request = request;
  event.descriptor = ::memfd_create("event", MFD_CLOEXEC);
  if (event.descriptor < 0) return -errno;
  event.id = 1000 + opened_.size();
  event.inode = inode_of(event.descriptor);
  opened_.push_back(event);
  return event.descriptor;
}

// As perf_event_open(2) describes the layouts. A descriptor of somebody else is read in earnest.
long FakeKernel::read(int descriptor, void* buffer, std::size_t size) {
  ++reads_;
  const Opened* event = behind(descriptor);
  if (event == nullptr) return ::read(descriptor, buffer, size);
  const Sample own = show(event->request);
  std::vector<std::uint64_t> words = {own.value, own.enabled_ns, own.running_ns};
  if (event->request.group_read && event->request.leader < 0) {
    words = {1, own.enabled_ns, own.running_ns, own.value};
    for (const Opened& member : opened_) {
      if (member.request.leader != descriptor || behind(member.descriptor) != &member) continue;
      ++words[0];
      words.push_back(show(member.request).value);
    }
  }
  const std::size_t bytes = words.size() * sizeof words[0];
  if (bytes > size) return -ENOSPC;
  std::memcpy(buffer, words.data(), bytes);
  return static_cast<long>(bytes);
}

std::vector<FakeKernel::Opened> FakeKernel::opened() const {
  std::vector<Opened> events;
  std::copy_if(opened_.begin(), opened_.end(), std::back_inserter(events),
               [](const Opened& event) { return !is_dummy(event); });
  return events;
}

std::size_t FakeKernel::open_now() const {
  return static_cast<std::size_t>(
      std::count_if(opened_.begin(), opened_.end(),
                    [&](const Opened& event) { return behind(event.descriptor) == &event; }));
}

}  // namespace huddle::counters
