#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "profiles/processes/end_process.hpp"
#include "profiles/processes/process_identity.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/courier/courier_order.hpp"
#include "spank_plugin/courier/courier_processes.hpp"
#include "spank_plugin/courier/courier_spool.hpp"
#include "spank_plugin/detached/detached_process.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::courier_program {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProfile = "profile-20260101T000000.000Z-17.0-pid1.json";

/// A courier of this process, which is its slurmstepd.
class CourierOfStep {
 public:
  explicit CourierOfStep(std::uint32_t seconds_after_step = 300) {
    fs::create_directory(place_.path() / "store");
    courier::CourierOrder order;
    order.user = ::getuid();
    order.group = ::getgid();
    order.spool = place_.path() / "spool";
    order.store = place_.path() / "store";
    order.job = 17;
    order.seconds_after_step = seconds_after_step;
    to_ = store::Store(order.store).make_folder(key_);
    process_ = std::make_unique<detached::DetachedProcess>(
        HUDDLE_COURIER, courier::courier_arguments("17.0", true, processes::own_identity()),
        text_of(order), std::chrono::seconds(20));
    identity_ = process_->identity();
    from_ = store::Store(order.spool).make_folder(key_);
  }
  ~CourierOfStep() { processes::end_process(identity_); }
  CourierOfStep(const CourierOfStep&) = delete;
  CourierOfStep& operator=(const CourierOfStep&) = delete;

  void leave(std::size_t bytes) const {
    store::put_file(from_ / "new", std::string(bytes, 'x'));
    fs::rename(from_ / "new", from_ / kProfile);
  }
  void end_step() { process_.reset(); }
  [[nodiscard]] bool ends() const {
    for (int tries = 0; tries < 3000 && processes::is_alive(identity_); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return !processes::is_alive(identity_);
  }
  [[nodiscard]] bool has_spool() const { return fs::exists(place_.path() / "spool"); }
  [[nodiscard]] bool has_brought() const { return fs::exists(to_ / kProfile); }
  [[nodiscard]] const processes::ProcessIdentity& identity() const { return identity_; }
  [[nodiscard]] std::string in_proc(const char* file) const {
    return store::get_file(fmt::format("/proc/{}/{}", identity_.pid, file));
  }

 private:
  store::TemporaryDirectory place_;
  store::StoreKey key_{store::current_user(), "halo", 16};
  fs::path to_;
  fs::path from_;
  std::unique_ptr<detached::DetachedProcess> process_;
  processes::ProcessIdentity identity_;
};

TEST_CASE("a courier brings what is there when its step ends, and leaves nothing") {
  CourierOfStep courier;
  courier.leave(100);
  courier.end_step();
  CHECK(courier.ends());
  CHECK(courier.has_brought());
  CHECK_FALSE(courier.has_spool());
}

TEST_CASE(
    "a courier that is not done some time after its step ends all the same, without half a file") {
  CourierOfStep courier(1);
  courier.leave(std::size_t{250} << 20U);  // takes 8 s at the pace of couriers
  courier.end_step();
  CHECK(courier.ends());
  CHECK_FALSE(courier.has_brought());
}

TEST_CASE("a courier works behind others") {
  const CourierOfStep courier;
  const std::string stat = courier.in_proc("stat");
  constexpr int kNiceBehindName = 17;
  std::size_t word = stat.rfind(')') + 1;
  for (int i = 0; i < kNiceBehindName - 1; ++i) word = stat.find(' ', word + 1);
  CHECK(stat.substr(word, 4) == " 10 ");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(courier.in_proc("limits").find("Max address space         536870912") != std::string::npos);
#endif
}

TEST_CASE("a courier removes what killed ones of its user left") {
  const processes::ProcessIdentity own = processes::own_identity();
  const fs::path left = courier::spool_of("17.0", ::getuid(), {own.pid, own.started - 1});
  fs::create_directory(left);
  const CourierOfStep courier;
  for (int tries = 0; tries < 3000 && fs::exists(left); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(fs::exists(left));
  fs::remove(left);
}

TEST_CASE("root's look at a node finds a courier with its user, step and slurmstepd") {
  if (::geteuid() != 0) return;  // others can't see which program a protected process has
  const CourierOfStep courier;
  const auto couriers = courier::couriers_on_node(HUDDLE_COURIER);
  const auto found = std::find_if(
      couriers.begin(), couriers.end(),
      [&](const courier::CourierProcess& one) { return one.process == courier.identity(); });
  REQUIRE(found != couriers.end());
  CHECK(found->user == ::getuid());
  CHECK(found->step == "17.0");
  CHECK(found->slurmstepd == processes::own_identity());
}

}  // namespace
}  // namespace huddle::courier_program
