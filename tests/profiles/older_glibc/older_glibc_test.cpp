// The functions that profiles/older_glibc/older_glibc.c defines work where glibc has nothing newer.

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace huddle::older_glibc {
namespace {

using namespace std::chrono_literals;

int thrown_at(int depth) {
  struct Counted {
    explicit Counted(int& count) : count_(count) { ++count_; }
    ~Counted() { --count_; }
    int& count_;
  };
  static int alive = 0;
  const Counted counted(alive);
  if (depth == 0) throw std::out_of_range(std::to_string(alive));
  try {
    return thrown_at(depth - 1) + alive;
  } catch (const std::runtime_error&) {  // another kind
    return 0;
  }
}

}  // namespace

TEST_CASE("exceptions find their handlers, and unwind what is between") {
  for (int i = 0; i < 3; ++i) {
    std::string what;
    try {
      static_cast<void>(thrown_at(20));
    } catch (const std::exception& error) {
      what = error.what();
    }
    CHECK(what == "21");
  }
  CHECK_THROWS_AS(std::stoi("none"), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(std::vector<int>().at(1)), std::out_of_range);
  bool caught = false;
  std::thread([&] {
    try {
      static_cast<void>(thrown_at(5));
    } catch (const std::out_of_range&) {
      caught = true;
    }
  }).join();
  CHECK(caught);
}

TEST_CASE("thread-local objects live as long as their thread, and do no harm at its end") {
  static std::atomic<int> made{0};
  struct Local {
    Local() { ++made; }
    ~Local() { --made; }
  };
  std::thread([] { static thread_local const Local local; }).join();
  CHECK(made == 1);  // it was not destroyed: nobody here could
}

TEST_CASE("waiting by the steady clock ends when it should") {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  for (const auto time : {0ms, 1ms, 30ms}) {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(condition.wait_until(lock, begin + time) == std::cv_status::timeout);
    CHECK(std::chrono::steady_clock::now() - begin >= time - 1ms);
  }
  bool told = false;
  std::thread other([&] {
    const std::lock_guard guard(mutex);
    told = true;
    condition.notify_one();
  });
  CHECK(condition.wait_for(lock, 60s, [&] { return told; }));
  lock.unlock();
  other.join();
}

TEST_CASE("files are described as by the system") {
  struct stat by_path {};
  struct stat by_link {};
  struct stat by_file {};
  struct stat expected {};
  REQUIRE(::fstatat(AT_FDCWD, "/proc/self/exe", &expected, 0) == 0);
  REQUIRE(::stat("/proc/self/exe", &by_path) == 0);
  REQUIRE(::lstat("/proc/self/exe", &by_link) == 0);
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  REQUIRE(::fstat(file, &by_file) == 0);
  ::close(file);
  CHECK(by_path.st_ino == expected.st_ino);
  CHECK(by_path.st_size == expected.st_size);
  CHECK(by_path.st_mtim.tv_nsec == expected.st_mtim.tv_nsec);
  CHECK(by_file.st_ino == expected.st_ino);
  CHECK(S_ISLNK(by_link.st_mode));
  CHECK(::stat("/no/such/file", &by_path) == -1);
  CHECK(errno == ENOENT);
}

TEST_CASE("random numbers differ, and threads know themselves") {
  std::random_device device;
  CHECK(device() != device());
  std::array<unsigned char, 32> first{};
  std::array<unsigned char, 32> second{};
  CHECK(::getentropy(first.data(), first.size()) == 0);
  CHECK(::getrandom(second.data(), second.size(), 0) == static_cast<ssize_t>(second.size()));
  CHECK(first != second);
  CHECK(::gettid() == ::getpid());
  void* begin = nullptr;
  std::size_t size = 0;
  pthread_attr_t attributes;
  REQUIRE(::pthread_getattr_np(::pthread_self(), &attributes) == 0);
  CHECK(::pthread_attr_getstack(&attributes, &begin, &size) == 0);
  ::pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<std::uintptr_t>(&attributes);
  CHECK(here - reinterpret_cast<std::uintptr_t>(begin) < size);
}

TEST_CASE("libraries are opened and searched") {
  void* const library = ::dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(library != nullptr);
  void* const found = ::dlsym(library, "puts");
  Dl_info info{};
  CHECK(::dladdr(found, &info) != 0);
  CHECK(std::string(info.dli_sname) == "puts");
  CHECK(::dlclose(library) == 0);
}

}  // namespace huddle::older_glibc
