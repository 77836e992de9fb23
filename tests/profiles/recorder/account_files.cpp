#include "tests/profiles/recorder/account_files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/size_class.hpp"

namespace {

using huddle::Error;

std::ifstream open(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("{} can't be opened", path));
  return file;
}

// One line of known_traffic.h. Returns whether it was understood.
bool add_known(const std::string& line, std::uint32_t ranks, Account& account) {
  std::istringstream words(line);
  std::string kind, operation, members;
  std::uint32_t rank = 0, peer = 0;
  std::uint64_t times = 0, each = 0;
  words >> kind >> rank;
  if (kind == "collective")
    words >> operation >> members >> times >> each;
  else
    words >> peer >> times >> each;
  if (words.fail() || !(words >> std::ws).eof() || rank >= ranks || peer >= ranks) return false;
  const unsigned size_class = huddle::size_class_of(each);
  std::string what;
  if (kind == "collective")
    what = collective_words(operation, rank, canonical_members(members, ranks),
                            Detail::kSizeClasses, size_class);
  else if (kind == "sent" || kind == "neighbours" || kind == "put" || kind == "fetched")
    what = matrix_words(kind, rank, peer, Detail::kSizeClasses, size_class);
  else
    return false;
  if (times > 0) account[what] += {times, times * each};
  return true;
}

bool add_total(const std::string& line, std::uint32_t ranks, Account& account) {
  std::istringstream words(line);
  std::uint32_t sender = 0, receiver = 0;
  Traffic traffic;
  words >> sender >> receiver >> traffic.messages >> traffic.bytes;
  if (words.fail() || !(words >> std::ws).eof() || sender >= ranks || receiver >= ranks)
    return false;
  if (traffic.messages > 0)
    account[matrix_words("sent", sender, receiver, Detail::kTotals, 0)] += traffic;
  return true;
}

bool begins_with_digit(const std::string& line) {
  return !line.empty() && line[0] >= '0' && line[0] <= '9';
}

}  // namespace

Truth read_truth(const std::string& path, std::uint32_t ranks) {
  Truth truth;
  std::ifstream file = open(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (number == 1 && !begins_with_digit(line)) truth.detail = Detail::kSizeClasses;
    if (!(truth.detail == Detail::kTotals ? add_total(line, ranks, truth.account)
                                          : add_known(line, ranks, truth.account)))
      throw Error(fmt::format("{}, line {}: not understood: {}", path, number, line));
  }
  return truth;
}

Account read_monitoring(const std::string& prefix, std::uint32_t ranks) {
  Account account;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::string path = fmt::format("{}.{}.prof", prefix, rank);
    std::ifstream file = open(path);
    // Lines of the program's own messages: "E SENDER RECEIVER BYTES bytes MESSAGES msgs sent ...".
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string kind, unit;
      std::uint32_t sender = 0, receiver = 0;
      Traffic traffic;
      if (!(words >> kind) || kind != "E") continue;
      if (!(words >> sender >> receiver >> traffic.bytes >> unit >> traffic.messages))
        throw Error(fmt::format("{}: not understood: {}", path, line));
      if (traffic.messages > 0)
        account[matrix_words("sent", sender, receiver, Detail::kTotals, 0)] += traffic;
    }
  }
  return account;
}
