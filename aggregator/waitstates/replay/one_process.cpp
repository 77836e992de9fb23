#include <utility>

#include "aggregator/waitstates/replay/exchange.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

class OneProcess : public Exchange {
 public:
  [[nodiscard]] std::uint32_t process() const override { return 0; }
  [[nodiscard]] std::uint32_t processes() const override { return 1; }
  void send(std::uint32_t, std::string) override {
    throw Error("an analysis of one process has nobody to tell anything: a mistake in Huddle");
  }
  std::vector<Parcel> receive(bool) override { return {}; }
  std::uint64_t sum(std::uint64_t value) override { return value; }
  std::uint64_t least(std::uint64_t value) override { return value; }
  std::vector<std::string> gather(std::string bytes) override {
    std::vector<std::string> all;
    all.push_back(std::move(bytes));
    return all;
  }
};

}  // namespace

std::unique_ptr<Exchange> one_process() {
  return std::make_unique<OneProcess>();
}

}  // namespace huddle
