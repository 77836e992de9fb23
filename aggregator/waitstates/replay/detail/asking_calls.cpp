#include "aggregator/waitstates/replay/detail/asking_calls.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace huddle::waitstates {
namespace {

struct AskingFunction {
  std::string_view name;  // in small letters, without mpi_
  Asking asking;
};

constexpr std::array<AskingFunction, 12> kAskingFunctions{{
    {"test", Asking::kTest},
    {"testall", Asking::kTest},
    {"testany", Asking::kTest},
    {"testsome", Asking::kTest},
    {"probe", Asking::kProbe},
    {"iprobe", Asking::kPollingProbe},
    {"mprobe", Asking::kMatchedProbe},
    {"improbe", Asking::kPollingMatchedProbe},
    {"mrecv", Asking::kMatchedReceive},
    {"imrecv", Asking::kMatchedReceive},
    {"request_get_status", Asking::kStatus},
    {"win_test", Asking::kWindowTest},
}};

// Names come from files: they may hold any byte.
char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_matched(Asking asking) {
  return asking == Asking::kMatchedProbe || asking == Asking::kPollingMatchedProbe;
}

// Whether the probe may have found what the receive took.
bool may_find(const PastAsk& ask, const ReceivePost& receive) {
  if (receive.probe != 0) return ask.probe == receive.probe;
  // It may have been about any receive that was posted.
  if (ask.asking == Asking::kStatus) return ask.receives > receive.number;
  if (!is_probe(ask.asking) || is_matched(ask.asking) != receive.matched) return false;
  return receive.matched ? ask.receives <= receive.number : ask.receives == receive.number;
}

}  // namespace

Asking asking_of(std::string_view region) {
  constexpr std::size_t kLongest = 24;
  if (region.size() > kLongest) return Asking::kNothing;
  std::string name(region);
  std::ranges::transform(name, name.begin(), small_letter);
  while (name.ends_with('_')) name.pop_back();
  if (name.starts_with('p')) name.erase(0, 1);
  if (!name.starts_with("mpi_")) return Asking::kNothing;
  name.erase(0, 4);
  const auto* found = std::ranges::find(kAskingFunctions, name, &AskingFunction::name);
  return found == kAskingFunctions.end() ? Asking::kNothing : found->asking;
}

bool is_poll(Asking asking) {
  return asking == Asking::kTest || asking == Asking::kPollingProbe ||
         asking == Asking::kPollingMatchedProbe || asking == Asking::kStatus ||
         asking == Asking::kWindowTest;
}

bool is_probe(Asking asking) {
  return asking == Asking::kProbe || asking == Asking::kMatchedProbe ||
         asking == Asking::kPollingProbe || asking == Asking::kPollingMatchedProbe;
}

void PastAsks::add(const PastAsk& ask) {
  if (asks_.size() == kMost) asks_.pop_front();
  asks_.push_back(ask);
}

std::vector<PastAsk> PastAsks::take_probes(std::uint64_t sent, const ReceivePost& receive) {
  std::vector<PastAsk> taken;
  const auto found = std::ranges::find_if(
      asks_, [&](const PastAsk& ask) { return may_find(ask, receive) && ask.leave >= sent; });
  if (found == asks_.end()) return taken;
  const PastAsk finder = *found;
  const auto of_its_loop = [&](const PastAsk& ask) {
    return is_poll(finder.asking) && ask.asking == finder.asking && ask.path == finder.path &&
           ask.receives == finder.receives && ask.leave < sent;
  };
  std::erase_if(asks_, [&](const PastAsk& ask) {
    const bool waited = (&ask == &*found && ask.enter < sent) || of_its_loop(ask);
    if (waited) taken.push_back(ask);
    return waited;
  });
  return taken;
}

std::vector<PastAsk> PastAsks::take_tests(std::uint32_t path, std::uint64_t sent,
                                          const ReceivePost& receive) {
  std::vector<PastAsk> taken;
  std::erase_if(asks_, [&](const PastAsk& ask) {
    if (ask.asking != Asking::kTest || ask.path != path) return false;
    if (ask.receives > receive.number && ask.enter < sent) taken.push_back(ask);
    return true;
  });
  return taken;
}

}  // namespace huddle::waitstates
