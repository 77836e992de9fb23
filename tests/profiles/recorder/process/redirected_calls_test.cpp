#include "profiles/recorder/process/redirected_calls.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

using huddle::recorder::Redirection;
using huddle::recorder::Redirections;

extern "C" {
int huddle_test_answer();
int huddle_test_ask();
int huddle_test_ask_kept();
int huddle_test_ask_for_absent();
}

namespace {

int other_answer() {
  return 2;
}

// From the library's function to the other, and back when it goes.
class Redirected {
 public:
  Redirected() : library_(::dlsym(RTLD_DEFAULT, "huddle_test_answer")) { there().apply(); }
  ~Redirected() {
    Redirections({{"huddle_test_answer", {other(), nullptr, nullptr}, library_}}).apply();
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

  [[nodiscard]] Redirections there() const {
    const Redirection absent{"huddle_test_absent", {nullptr, nullptr, nullptr}, other()};
    return Redirections({{"huddle_test_answer", {nullptr, library_, nullptr}, other()}, absent});
  }

 private:
  static void* other() { return reinterpret_cast<void*>(&other_answer); }  // NOLINT
  void* library_;
};

TEST_CASE("calls of a library's function reach another one, from each module and by pointers") {
  REQUIRE(huddle_test_answer() == 1);
  REQUIRE(huddle_test_ask() == 1);
  {
    const Redirected redirected;
    CHECK(huddle_test_answer() == 2);
    CHECK(huddle_test_ask() == 2);
    CHECK(huddle_test_ask_kept() == 2);
    CHECK_FALSE(redirected.there().is_passed());
  }
  CHECK(huddle_test_ask() == 1);
  CHECK(huddle_test_ask_kept() == 1);
}

TEST_CASE("a function that no library has stays absent for who asks by a weak symbol") {
  const Redirected redirected;
  CHECK(huddle_test_ask_for_absent() == 0);
}

TEST_CASE("a module that is loaded later is noticed") {
  const Redirected redirected;
  REQUIRE_FALSE(redirected.there().is_passed());
  void* const later = ::dlopen(HUDDLE_LATER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(later != nullptr);
  CHECK(redirected.there().is_passed());
  ::dlclose(later);
}

}  // namespace
