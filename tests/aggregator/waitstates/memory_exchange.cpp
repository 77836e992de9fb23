#include "tests/aggregator/waitstates/memory_exchange.hpp"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

namespace huddle {
namespace {

struct Letterbox {
  std::mutex mutex;
  std::condition_variable news;
  std::vector<Exchange::Parcel> parcels;
};

struct Shared {
  explicit Shared(std::uint32_t processes)
      : boxes(processes), values(processes), texts(processes), barrier(processes) {}
  std::vector<Letterbox> boxes;
  std::vector<std::uint64_t> values;
  std::vector<std::string> texts;
  std::barrier<> barrier;
};

class ThreadExchange : public Exchange {
 public:
  ThreadExchange(Shared& shared, std::uint32_t process) : shared_(shared), process_(process) {}
  [[nodiscard]] std::uint32_t process() const override { return process_; }
  [[nodiscard]] std::uint32_t processes() const override {
    return static_cast<std::uint32_t>(shared_.boxes.size());
  }
  void send(std::uint32_t to, std::string bytes) override {
    Letterbox& box = shared_.boxes[to];
    const std::lock_guard lock(box.mutex);
    box.parcels.push_back({process_, std::move(bytes)});
    box.news.notify_one();
  }
  std::vector<Parcel> receive(bool wait) override {
    Letterbox& box = shared_.boxes[process_];
    std::unique_lock lock(box.mutex);
    if (wait) box.news.wait(lock, [&] { return !box.parcels.empty(); });
    return std::exchange(box.parcels, {});
  }
  std::uint64_t sum(std::uint64_t value) override {
    const std::vector<std::uint64_t> all = values_of_all(value);
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }
  std::uint64_t least(std::uint64_t value) override {
    return std::ranges::min(values_of_all(value));
  }
  std::vector<std::string> gather(std::string bytes) override {
    shared_.texts[process_] = std::move(bytes);
    shared_.barrier.arrive_and_wait();
    std::vector<std::string> all;
    if (process_ == 0) all = shared_.texts;
    shared_.barrier.arrive_and_wait();
    return all;
  }

 private:
  std::vector<std::uint64_t> values_of_all(std::uint64_t value) {
    shared_.values[process_] = value;
    shared_.barrier.arrive_and_wait();
    std::vector<std::uint64_t> all = shared_.values;
    shared_.barrier.arrive_and_wait();
    return all;
  }

  Shared& shared_;
  std::uint32_t process_;
};

}  // namespace

void on_processes(std::uint32_t processes, const std::function<void(Exchange&)>& work) {
  Shared shared(processes);
  std::vector<std::thread> threads;
  for (std::uint32_t process = 0; process < processes; ++process)
    threads.emplace_back([&shared, &work, process] {
      ThreadExchange exchange(shared, process);
      work(exchange);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace huddle
