#include "profiles/recorder/delivery/spool_delivery.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiles/files/atomic_file.hpp"
#include "profiles/recorder/profile/parts.hpp"
#include "profiles/store/store.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

using namespace huddle;
using namespace huddle::recorder;
namespace fs = std::filesystem;

namespace {

const auto kStarted = std::chrono::system_clock::now() - std::chrono::hours(1);
constexpr const char* kName = "profile-20260101T000000.000Z-7.0-pid1.json";
constexpr std::uint64_t kRun = 7;

Piece piece(std::uint32_t rank, double run_time) {
  RankRecord record;
  record.rank.value = rank;
  record.run_time.value = run_time;
  return {encode_rank_record(record, Encoding::kJson), encode_shared_tables({})};
}

Profile cut_short() {
  Profile profile;
  profile.label = "a job/of mine";
  profile.ranks = 8;
  profile.complete = false;
  profile.cut_short_reason = "it had not ended";
  return profile;
}

// A store, and two nodes with a spool and a courier each.
struct Site {
  Site() {
    fs::create_directory(root() / "store");
    for (const char* node : {"a", "b"}) fs::create_directory(root() / node);
    to = store::Store(root() / "store").make_folder(key);
  }
  [[nodiscard]] fs::path root() const { return directory.path(); }
  // Where ranks of a node write.
  [[nodiscard]] fs::path on(const char* node) const {
    return store::Store(root() / node).make_folder(key);
  }
  Parts parts(const char* node, std::uint32_t rank) const {
    return {on(node) / kName, kRun, rank, kStarted, Parts::Place::kSpool};
  }
  [[nodiscard]] SpoolDelivery courier(const char* node, CarrierLimits limits = {}) const {
    return {root() / node, root() / "store", store::current_user(), "7.0", std::move(limits)};
  }
  // True if a rank of the node has left the order to make a profile, and nobody has followed it.
  [[nodiscard]] bool has_order(const char* node) const {
    const fs::recursive_directory_iterator files(root() / node);
    return std::any_of(begin(files), end(files), [](const fs::directory_entry& file) {
      return file.path().filename() == "order";
    });
  }
  [[nodiscard]] std::vector<std::string> stored() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(to)) names.push_back(entry.path().filename());
    return names;
  }

  store::TemporaryDirectory directory;
  store::StoreKey key{store::current_user(), "a job/of mine", 8};
  fs::path to;
};

CarrierLimits limited_to(std::uint64_t bytes) {
  CarrierLimits limits;
  limits.bytes = bytes;
  return limits;
}

// The lines that the step's record will have.
std::string said_in(const Site& site) {
  std::string lines;
  for (const std::string& name : site.stored())
    if (name.starts_with("said-7.0-")) lines += files::read_file(site.to / name, 1000);
  return lines;
}

}  // namespace

TEST_CASE("a profile is brought to its folder of the store, and leaves the spool") {
  const Site site;
  SpoolDelivery courier = site.courier("a");
  store::put_file(site.on("a") / kName, "a profile");
  store::put_file(site.on("a") / "something else", "which is not ours");
  courier.deliver();
  CHECK(site.stored() == std::vector<std::string>{kName});
  CHECK(files::read_file(site.to / kName, 100) == "a profile");
  CHECK_FALSE(fs::exists(site.on("a") / kName));
}

TEST_CASE("a profile stays in the spool as long as the store does not take it") {
  const Site site;
  SpoolDelivery courier = site.courier("a");
  store::put_file(site.on("a") / kName, "a profile");
  fs::remove_all(site.root() / "store");
  courier.deliver();
  CHECK(fs::exists(site.on("a") / kName));
  store::Store(site.root() / "store").make_folder(site.key, true);
  courier.deliver();
  CHECK(site.stored() == std::vector<std::string>{kName});
}

TEST_CASE("a store of which nothing is to be brought is left alone") {
  const Site site;
  SpoolDelivery courier = site.courier("a");
  fs::create_directories(site.on("a"));
  fs::remove_all(site.to);
  courier.deliver();
  CHECK_FALSE(fs::exists(site.to));
}

TEST_CASE("a file that is over what a step may leave stays out whole, and the record says so") {
  const Site site;
  SpoolDelivery courier = site.courier("a", limited_to(100'000));
  store::put_file(site.on("a") / kName, std::string(60'000, 'x'));
  courier.deliver();
  REQUIRE(site.stored() == std::vector<std::string>{kName});
  store::put_file(site.on("a") / "profile-20260102T000000.000Z-7.0-pid1.json",
                  std::string(60'000, 'y'));
  store::put_file(site.on("a") / "profile-20260103T000000.000Z-7.0-pid1.json", "small");
  courier.deliver();
  courier.deliver();
  CHECK(site.stored().size() == 3);  // the first, the small one and the line
  CHECK(fs::exists(site.on("a") / "profile-20260102T000000.000Z-7.0-pid1.json"));
  CHECK(said_in(site) ==
        "not measured: profile-20260102T000000.000Z-7.0-pid1.json has 60000 bytes, and a node's "
        "files of a step may have 100000 together\n");
}

TEST_CASE("a sparse file counts with its holes") {
  const Site site;
  SpoolDelivery courier = site.courier("a");
  store::put_file(site.on("a") / kName, "begins small");
  fs::resize_file(site.on("a") / kName, std::uintmax_t{1} << 40U);
  courier.deliver();
  CHECK_FALSE(fs::exists(site.to / kName));
  CHECK(said_in(site).find("1099511627776 bytes") != std::string::npos);
}

TEST_CASE("many empty files are as bounded as a large one") {
  const Site site;
  SpoolDelivery courier = site.courier("a", limited_to(4096 * 3));
  for (int i = 0; i < 10; ++i)
    store::put_file(site.on("a") / ("said-7.0-pid" + std::to_string(i)), "");
  courier.deliver();
  CHECK(site.stored().size() == 4);  // and the line
}

TEST_CASE("a part that is written again and again counts once") {
  const Site site;
  SpoolDelivery courier = site.courier("a", limited_to(20'000));
  Parts zero = site.parts("a", 0);
  for (int i = 1; i < 20; ++i) {
    REQUIRE(zero.write(piece(0, i)));
    zero.make_profile(cut_short(), Encoding::kJson, RunState::kGoesOn);
    courier.deliver();
  }
  CHECK(load_profile(site.to / kName).rank_records.at(0).run_time.value == 19);
  CHECK(said_in(site).empty());
}

TEST_CASE("a link in the spool leads nowhere") {
  const Site site;
  SpoolDelivery courier = site.courier("a");
  store::put_file(site.root() / "another file", "of the user's");
  fs::create_symlink(site.root() / "another file", site.on("a") / kName);
  courier.deliver();
  CHECK(site.stored().empty());
}

TEST_CASE("of very many folders in a spool some are brought") {
  const Site site;
  SpoolDelivery courier = site.courier("a");
  for (int i = 0; i < 3000; ++i) fs::create_directory(site.root() / "a" / std::to_string(i));
  CHECK(courier.folders().size() <= 1024);
  courier.deliver();
}

TEST_CASE("a user's part of the store that is a link gets nothing") {
  const Site site;
  SpoolDelivery courier = site.courier("a");
  const fs::path part = store::Store(site.root() / "store").part_of(store::current_user());
  fs::rename(part, site.root() / "elsewhere");
  fs::create_directory_symlink(site.root() / "elsewhere", part);
  store::put_file(site.on("a") / kName, "a profile");
  courier.deliver();
  CHECK(site.stored().empty() == !fs::exists(site.root() / "elsewhere" / kName));
  CHECK(fs::exists(site.on("a") / kName));
}

TEST_CASE("a run that goes on has a profile of what the ranks of all nodes wrote last") {
  const Site site;
  SpoolDelivery first = site.courier("a");
  SpoolDelivery second = site.courier("b");
  Parts zero = site.parts("a", 0);
  Parts one = site.parts("b", 1);
  REQUIRE(zero.write(piece(0, 1)));
  REQUIRE(one.write(piece(1, 1)));
  second.deliver();
  zero.make_profile(cut_short(), Encoding::kJson, RunState::kGoesOn);
  first.deliver();
  CHECK(load_profile(site.to / kName).rank_records.size() == 2);
  REQUIRE(one.write(piece(1, 3)));
  REQUIRE(zero.write(piece(0, 3)));
  second.deliver();
  zero.make_profile(cut_short(), Encoding::kJson, RunState::kGoesOn);
  first.deliver();
  const Profile profile = load_profile(site.to / kName);
  CHECK_FALSE(profile.complete);
  REQUIRE(profile.rank_records.size() == 2);
  CHECK(profile.rank_records[0].run_time.value == 3);
  CHECK(profile.rank_records[1].run_time.value == 3);
}

TEST_CASE("the profile of a run that ended well replaces the parts, on whatever node they are") {
  const Site site;
  SpoolDelivery first = site.courier("a");
  SpoolDelivery second = site.courier("b");
  Parts zero = site.parts("a", 0);
  Parts one = site.parts("b", 1);
  REQUIRE(zero.write(piece(0, 1)));
  REQUIRE(one.write(piece(1, 1)));
  zero.make_profile(cut_short(), Encoding::kJson, RunState::kGoesOn);
  second.deliver();
  first.deliver();
  REQUIRE(site.stored().size() == 2);
  one.remove();
  zero.remove();
  store::put_file(site.on("a") / kName, "whole");
  zero.remove_all();
  first.deliver();
  second.deliver();
  CHECK(site.stored() == std::vector<std::string>{kName});
  CHECK(files::read_file(site.to / kName, 100) == "whole");
}

TEST_CASE(
    "a rank that ends the run ends it for all nodes, and its order is gone when it is followed") {
  const Site site;
  SpoolDelivery first = site.courier("a");
  SpoolDelivery second = site.courier("b");
  Parts zero = site.parts("a", 0);
  Parts one = site.parts("b", 1);
  REQUIRE(zero.write(piece(0, 1)));
  REQUIRE(one.write(piece(1, 1)));
  first.deliver();
  one.make_profile(cut_short(), Encoding::kJson, RunState::kEnded);
  CHECK(site.has_order("b"));
  second.deliver();
  CHECK_FALSE(site.has_order("b"));
  CHECK(load_profile(site.to / kName).rank_records.size() == 2);
  static_cast<void>(zero.write(piece(0, 2)));
  zero.make_profile(cut_short(), Encoding::kJson, RunState::kEnded);
  first.deliver();
  CHECK_FALSE(site.has_order("a"));
  CHECK(site.stored() == std::vector<std::string>{kName});
  CHECK(load_profile(site.to / kName).rank_records.at(0).run_time.value == 1);
}

TEST_CASE("parts that a rank removed while they were brought don't stay in the store") {
  const Site site;
  SpoolDelivery courier = site.courier("a");
  Parts zero = site.parts("a", 0);
  REQUIRE(zero.write(piece(0, 1)));
  Parts one = site.parts("a", 1);
  REQUIRE(one.write(piece(1, 1)));
  courier.deliver();
  zero.remove();
  courier.deliver();
  CHECK(site.stored().size() == 1);
  one.remove();
  courier.deliver();
  courier.deliver();
  CHECK(site.stored().empty());
}
