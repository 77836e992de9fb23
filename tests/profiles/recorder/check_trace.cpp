// Holds a recorded trace against the profile of the same run, and its ranks against each other.
//
//   check_trace PROFILE RAW_FOLDER
//
// - every message that was sent is received, in order, with the same tag and size, and the profile
//   counts the same messages;
// - all members of a communicator know it by the same key, and call the same collectives on it in
//   the same order; the profile counts the same bytes;
// - every request ends once, if it was not freed;
// - all members of a window see the same fences, and groups of posts and starts fit each other;
// - the profile counts as many calls as the trace has, or more of those that looked in vain.
//
// Prints what it has compared. Exit status 1: they differ, and how.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/recorder/raw_traces.hpp"

namespace {

using huddle::Profile;
using huddle::RankRecord;
using huddle::recorder::RawTrace;
using huddle::recorder::RecordedCommunicator;
using huddle::recorder::RecordedTrace;
using huddle::traces::Collective;
using huddle::traces::Event;
using huddle::traces::EventKind;
using huddle::traces::kNobody;
using Traces = std::map<std::uint32_t, RawTrace>;

int differences = 0;
std::map<std::string, std::uint64_t> compared;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  if (++differences <= 20) std::cout << "differs: " << what << '\n';
}

bool is_send(EventKind kind) {
  return kind == EventKind::kSend || kind == EventKind::kIsend;
}
bool is_receive(EventKind kind) {
  return kind == EventKind::kRecv || kind == EventKind::kIrecv;
}

template <class Each>
void for_events(const RawTrace& trace, Each each) {
  for (const auto& thread : trace.threads)
    for (const Event& event : thread) each(event);
}

// Messages between threads may overtake each other in the trace's order, so they are sorted.
void check_messages(const Traces& traces) {
  using Message = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t,
                             std::uint64_t>;  // key, from, to, tag, bytes
  std::vector<Message> sent;
  std::vector<Message> received;
  for (const auto& [rank, trace] : traces)
    for_events(trace, [&](const Event& event) {
      if (!is_send(event.kind) && !is_receive(event.kind)) return;
      const std::uint64_t key = trace.communicator(event.subject).key;
      if (is_send(event.kind))
        sent.emplace_back(key, rank, event.peer, event.tag, event.bytes);
      else
        received.emplace_back(key, event.peer, rank, event.tag, event.bytes);
    });
  std::sort(sent.begin(), sent.end());
  std::sort(received.begin(), received.end());
  compared["messages"] = sent.size();
  std::vector<Message> lost;
  std::set_symmetric_difference(sent.begin(), sent.end(), received.begin(), received.end(),
                                std::back_inserter(lost));
  for (const auto& [key, from, to, tag, bytes] : lost)
    expect(false, fmt::format("a message from {} to {}, tag {}, {} bytes, on {:016x}: sent or "
                              "received only",
                              from, to, tag, bytes, key));
}

void check_messages_of_profile(const RawTrace& trace, const RankRecord& record) {
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> recorded;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> counted;
  const auto add = [](auto& sums, std::uint32_t peer, std::uint64_t n, std::uint64_t bytes) {
    sums[peer].first += n;
    sums[peer].second += bytes;
  };
  for_events(trace, [&](const Event& event) {
    if (is_send(event.kind)) add(recorded, event.peer, 1, event.bytes);
  });
  for (const auto& sent : record.sent)
    add(counted, sent.receiver.value, sent.messages, sent.bytes.value);
  expect(recorded == counted,
         fmt::format("rank {}: its messages in the profile", trace.recorded.rank));
}

std::string shape_of(const RawTrace& trace, const RecordedCommunicator& one) {
  const auto list = [&](std::uint32_t group) {
    return group == RecordedTrace::kNoGroup
               ? std::string("-")
               : fmt::format("{}", fmt::join(trace.members(group), ","));
  };
  std::array<std::string, 2> sides{list(one.group), list(one.remote)};
  std::sort(sides.begin(), sides.end());
  return sides[0] + " | " + sides[1];
}

void check_communicators(const Traces& traces) {
  std::map<std::uint64_t, std::string> shapes;
  for (const auto& [rank, trace] : traces) {
    std::set<std::uint64_t> keys;
    for (const RecordedCommunicator& one : trace.recorded.communicators) {
      expect(keys.insert(one.key).second, fmt::format("rank {} has a key twice", rank));
      const std::string shape = shape_of(trace, one);
      expect(shapes.emplace(one.key, shape).first->second == shape,
             fmt::format("communicator {:016x} has other members on rank {}", one.key, rank));
    }
  }
  compared["communicators"] = shapes.size();
}

// In the order of the calls: a nonblocking collective stands where it began.
using Joined = std::vector<std::pair<Collective, std::uint32_t>>;
std::map<std::uint64_t, Joined> collectives_of(const RawTrace& trace) {
  std::map<std::uint64_t, std::pair<Collective, std::uint32_t>> ends;
  std::map<std::uint64_t, std::uint32_t> subjects;
  for_events(trace, [&](const Event& event) {
    if (event.kind != EventKind::kCollectiveComplete) return;
    ends[event.request] = {event.collective, event.peer};
    subjects[event.request] = event.subject;
  });
  std::map<std::uint64_t, Joined> joined;
  for_events(trace, [&](const Event& event) {
    if (event.kind == EventKind::kCollectiveEnd)
      joined[trace.communicator(event.subject).key].emplace_back(event.collective, event.peer);
    if (event.kind == EventKind::kCollectiveRequest && ends.count(event.request) != 0)
      joined[trace.communicator(subjects[event.request]).key].push_back(ends[event.request]);
  });
  return joined;
}

// With several threads, calls on different communicators mix, but not on one. Between two groups
// the root knows that it is, and of its side nobody else.
void check_collectives(const Traces& traces) {
  std::map<std::uint64_t, std::pair<std::uint32_t, Joined>> first;
  std::map<std::pair<std::uint64_t, std::size_t>, int> roots;
  for (const auto& [rank, trace] : traces) {
    std::set<std::uint64_t> between;
    for (const RecordedCommunicator& one : trace.recorded.communicators)
      if (one.remote != RecordedTrace::kNoGroup) between.insert(one.key);
    for (auto& [key, joined] : collectives_of(trace)) {
      compared["collectives"] += joined.size();
      for (std::size_t at = 0; between.count(key) != 0 && at < joined.size(); ++at) {
        auto& [kind, root] = joined[at];
        if (kind == Collective::kFromRoot || kind == Collective::kToRoot)
          roots[{key, at}] += root == rank ? 1 : 0;
        root = kNobody;
      }
      const auto [place, is_new] = first.emplace(key, std::pair{rank, joined});
      expect(place->second.second == joined,
             fmt::format("collectives on {:016x}: rank {} called {}, rank {} {}, or others", key,
                         rank, joined.size(), place->second.first, place->second.second.size()));
    }
  }
  for (const auto& [which, count] : roots)
    expect(count == 1, fmt::format("collective {} on {:016x}: {} ranks say that they are its root",
                                   which.second, which.first, count));
}

void check_collectives_of_profile(const RawTrace& trace, const RankRecord& record) {
  std::uint64_t recorded = 0;
  std::uint64_t counted = 0;
  for_events(trace, [&](const Event& event) {
    if (event.kind == EventKind::kCollectiveEnd || event.kind == EventKind::kCollectiveComplete)
      recorded += event.bytes;
  });
  for (const auto& one : record.collectives) counted += one.bytes.value;
  expect(recorded == counted, fmt::format("rank {}: {} bytes in collectives, {} in the profile",
                                          trace.recorded.rank, recorded, counted));
}

void check_requests(const RawTrace& trace) {
  std::map<std::uint64_t, EventKind> open;
  std::set<std::uint64_t> all;
  // Another thread may end a request, and stands before or behind.
  std::vector<Event> events;
  for_events(trace, [&](const Event& event) {
    // The number of a lock says of which kind it is.
    if (event.request != huddle::traces::kNoRequest && event.kind != EventKind::kWindowLocked)
      events.push_back(event);
  });
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
  for (const Event& event : events) {
    if (event.kind == EventKind::kIsend || event.kind == EventKind::kIrecvRequest ||
        event.kind == EventKind::kCollectiveRequest) {
      expect(all.insert(event.request).second, "a request's number comes twice");
      open[event.request] = event.kind;
      continue;
    }
    const auto place = open.find(event.request);
    if (place == open.end()) {
      expect(false, "a request ends that did not begin");
      continue;
    }
    const bool fits =
        event.kind == EventKind::kRequestCancelled ||
        (place->second == EventKind::kIsend && event.kind == EventKind::kIsendComplete) ||
        (place->second == EventKind::kIrecvRequest && event.kind == EventKind::kIrecv) ||
        (place->second == EventKind::kCollectiveRequest &&
         event.kind == EventKind::kCollectiveComplete);
    expect(fits, fmt::format("a {} ends as {}", huddle::recorder::name_of(place->second),
                             huddle::recorder::name_of(event.kind)));
    open.erase(place);
  }
  compared["requests"] += all.size();
  std::size_t freed = 0;  // MPI ends these alone, and no event says so
  for_events(trace, [&](const Event& event) {
    if (event.kind == EventKind::kEnter && trace.operation(event) == "MPI_Request_free") ++freed;
  });
  expect(open.size() <= freed,
         fmt::format("rank {}: {} requests without end", trace.recorded.rank, open.size()));
}

void check_windows(const Traces& traces) {
  std::map<std::uint64_t, std::map<EventKind, std::uint64_t>> first;
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, std::int64_t> exposures;
  for (const auto& [rank, trace] : traces) {
    std::map<std::uint64_t, std::map<EventKind, std::uint64_t>> seen;
    for_events(trace, [&, r = rank, &t = trace](const Event& event) {
      if (event.kind < EventKind::kWindowCreated || event.kind > EventKind::kWindowWait) return;
      const std::uint64_t key = t.recorded.windows.at(event.subject).key;
      if (event.kind <= EventKind::kWindowFence) ++seen[key][event.kind];
      if (event.group == kNobody) return;
      for (const std::uint32_t other : t.members(event.group))
        event.kind == EventKind::kWindowPost ? ++exposures[{key, r, other}]
                                             : --exposures[{key, other, r}];
    });
    for (const auto& [key, counts] : seen) {
      compared["window synchronisations"] += counts.size();
      expect(first.emplace(key, counts).first->second == counts,
             fmt::format("window {:016x} is another one on rank {}", key, rank));
    }
  }
  for (const auto& [which, count] : exposures)
    expect(count == 0, fmt::format("posts of {} for {} and starts of the other differ",
                                   std::get<1>(which), std::get<2>(which)));
}

void check_one_sided_of_profile(const RawTrace& trace, const RankRecord& record) {
  std::map<std::uint32_t, std::uint64_t> recorded;
  std::map<std::uint32_t, std::uint64_t> counted;
  for_events(trace, [&](const Event& event) {
    if (event.kind == EventKind::kOneSided) recorded[event.peer] += event.bytes;
  });
  for (const auto& one : record.put) counted[one.receiver.value] += one.bytes.value;
  for (const auto& one : record.fetched) counted[one.receiver.value] += one.bytes.value;
  compared["one-sided partners"] += recorded.size();
  expect(recorded == counted, fmt::format("rank {}: one-sided bytes", trace.recorded.rank));
}

bool may_look_in_vain(const std::string& operation) {
  return operation.starts_with("test") || operation == "parrived" ||
         operation.find("probe") != std::string::npos || operation == "waitsome" ||
         operation == "request_get_status" || operation == "win_test";
}

void check_calls_of_profile(const RawTrace& trace, const RankRecord& record) {
  std::map<std::string, std::uint64_t> recorded;
  for_events(trace, [&](const Event& event) {
    if (event.kind != EventKind::kEnter) return;
    std::string name = trace.operation(event).substr(4);
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (name != "init" && name != "init_thread" && name != "finalize") ++recorded[name];
  });
  for (const auto& calls : record.calls) {
    const std::uint64_t events = recorded[calls.operation];
    compared["calls"] += events;
    expect(may_look_in_vain(calls.operation) ? events <= calls.calls : events == calls.calls,
           fmt::format("rank {}: {} of {}, {} in the profile", trace.recorded.rank, events,
                       calls.operation, calls.calls));
  }
}

void check(const Traces& traces, const Profile& profile) {
  expect(traces.size() == profile.ranks, fmt::format("{} ranks have a trace", traces.size()));
  check_messages(traces);
  check_communicators(traces);
  check_collectives(traces);
  check_windows(traces);
  for (const RankRecord& record : profile.rank_records) {
    const auto place = traces.find(record.rank.value);
    if (place == traces.end()) continue;
    const RawTrace& trace = place->second;
    for (const std::string& remark : trace.recorded.remarks)
      std::cout << "remark: " << remark << '\n';
    check_requests(trace);
    check_messages_of_profile(trace, record);
    check_collectives_of_profile(trace, record);
    check_one_sided_of_profile(trace, record);
    check_calls_of_profile(trace, record);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw huddle::Error("usage: check_trace PROFILE RAW_FOLDER");
    check(huddle::recorder::read_raw_traces(argv[2]), huddle::load_profile(argv[1]));
    for (const auto& [what, count] : compared) std::cout << what << ' ' << count << '\n';
    std::cout << "differences " << differences << '\n';
    return differences == 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::cerr << "check_trace: " << failure.what() << '\n';
    return 1;
  }
}
