#include "tests/profiles/recorder/account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace {

using huddle::Error;
using huddle::Profile;
using huddle::RankSet;

void add(Account& account, const std::string& words, const Traffic& traffic) {
  if (traffic.messages > 0) account[words] += traffic;
}

std::string with_class(std::string words, Detail detail, unsigned size_class) {
  if (detail == Detail::kSizeClasses) words += fmt::format(", class {}", size_class);
  return words;
}

void add_matrix(Account& account, const std::string& kind, huddle::Rank rank,
                const std::vector<huddle::SentMessages>& cells, Detail detail) {
  for (const auto& cell : cells)
    add(account, matrix_words(kind, rank.value, cell.receiver.value, detail, cell.size_class),
        {cell.messages, cell.bytes.value});
}

std::string members_of(const Profile& profile, const huddle::CollectiveCalls& calls) {
  if (calls.communicator == "world") return "world";
  const auto& known = profile.shared.communicators;
  const auto place = std::find_if(known.begin(), known.end(), [&](const auto& communicator) {
    return communicator.id == calls.communicator_id;
  });
  if (place == known.end())
    throw Error(fmt::format("{} on a derived communicator: found no communicator {}",
                            calls.operation, calls.communicator_id));
  const std::uint32_t participants = place->members.size() + place->others.size();
  if (participants != calls.participants)
    throw Error(fmt::format("communicator {}: found {} members, expected {} participants",
                            calls.communicator_id, participants, calls.participants));
  return place->others.empty() ? place->members.list()
                               : place->members.list() + "|" + place->others.list();
}

}  // namespace

Traffic& Traffic::operator+=(const Traffic& more) {
  messages += more.messages;
  bytes += more.bytes;
  return *this;
}

std::string matrix_words(const std::string& kind, std::uint32_t rank, std::uint32_t peer,
                         Detail detail, unsigned size_class) {
  return with_class(fmt::format("{} {} to {}", kind, rank, peer), detail, size_class);
}

std::string collective_words(const std::string& operation, std::uint32_t rank,
                             const std::string& members, Detail detail, unsigned size_class) {
  return with_class(fmt::format("{} by {} of {}", operation, rank, members), detail, size_class);
}

std::string canonical_members(const std::string& members, std::uint32_t ranks) {
  if (members == "world") return members;
  const std::size_t bar = members.find('|');
  const std::string first = RankSet::parse(members.substr(0, bar), ranks).list();
  if (bar == std::string::npos) return first;
  return first + "|" + RankSet::parse(members.substr(bar + 1), ranks).list();
}

Account messages_of(const Profile& profile, Detail detail) {
  Account account;
  for (const auto& record : profile.rank_records)
    add_matrix(account, "sent", record.rank, record.sent, detail);
  return account;
}

Account other_traffic_of(const Profile& profile, Detail detail) {
  Account account;
  for (const auto& record : profile.rank_records) {
    add_matrix(account, "neighbours", record.rank, record.sent_to_neighbours, detail);
    add_matrix(account, "put", record.rank, record.put, detail);
    add_matrix(account, "fetched", record.rank, record.fetched, detail);
  }
  return account;
}

Account collectives_of(const Profile& profile, Detail detail) {
  Account account;
  for (const auto& record : profile.rank_records)
    for (const auto& calls : record.collectives)
      add(account,
          collective_words(calls.operation, record.rank.value, members_of(profile, calls), detail,
                           calls.size_class),
          {calls.calls, calls.bytes.value});
  return account;
}

int report_contradictions(const Profile& profile) {
  int contradictions = 0;
  for (const auto& record : profile.rank_records) {
    std::map<std::string, std::uint64_t> booked;
    for (const auto& calls : record.collectives) booked[calls.operation] += calls.calls;
    std::map<std::string, std::uint64_t> called;
    for (const auto& kind : record.calls) called[kind.operation] = kind.calls;
    for (const auto& [operation, calls] : booked) {
      // A started persistent collective is booked as the nonblocking one.
      const std::uint64_t starts =
          operation.starts_with('i') ? called["start"] + called["startall"] : 0;
      if (record.calls.empty() ||
          (called[operation] <= calls && calls <= called[operation] + starts))
        continue;
      ++contradictions;
      fmt::print("rank {}: {} was called {} times, but booked {} times\n", record.rank.value,
                 operation, called[operation], calls);
    }
  }
  return contradictions;
}

int compare(const Account& found, const Account& expected) {
  std::map<std::string, std::pair<Traffic, Traffic>> both;
  for (const auto& [words, traffic] : found) both[words].first = traffic;
  for (const auto& [words, traffic] : expected) both[words].second = traffic;
  int differences = 0;
  Traffic total;
  for (const auto& [words, sides] : both) {
    total += sides.first;
    if (sides.first == sides.second) continue;
    ++differences;
    fmt::print("{}: found {} times, {} bytes; expected {} times, {} bytes\n", words,
               sides.first.messages, sides.first.bytes, sides.second.messages, sides.second.bytes);
  }
  fmt::print("pairs {} messages {} bytes {} differences {}\n", both.size(), total.messages,
             total.bytes, differences);
  return differences == 0 ? 0 : 1;
}
