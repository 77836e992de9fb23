#include "tests/programs/message_plan.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace programs {
namespace {

constexpr int kLongestRepeat = 3;

// Counts of elements. With elements of 1 to 24 bytes, messages have 0 bytes to 240 kB.
constexpr std::array<int, 7> kCounts = {0, 1, 7, 100, 1000, 4097, 10000};

int pick_count(SendCall call, Group group, int shift, int repeat) {
  const int mixed = static_cast<int>(call) + 2 * static_cast<int>(group) + 3 * shift + repeat;
  return kCounts[static_cast<std::size_t>(mixed) % kCounts.size()];
}

// MPICH 4.0.2 refuses large messages of a struct type as truncated where the call packs them first:
// buffered sends and Sendrecv_replace send vectors in their stead.
Element pick_element(SendCall call, int shift, int repeat) {
  const auto element =
      static_cast<Element>((static_cast<int>(call) + shift + 2 * repeat) % kElements);
  const bool packs =
      call == SendCall::kBsend || call == SendCall::kIbsend || call == SendCall::kSendrecvReplace;
  return packs && element == Element::kStruct ? Element::kVector : element;
}

// The distances to the receivers, each once however few ranks there are.
std::set<int> shifts(int size) {
  std::set<int> distinct;
  for (const int shift : {0, 1, 2, size / 2, size - 1}) distinct.insert(shift % size);
  return distinct;
}

bool pairs_up(SendCall call) {
  return call == SendCall::kSendrecv || call == SendCall::kSendrecvReplace;
}

// Every rank sends to the rank `shift` after it. Except where all must send alike, the count also
// depends on the sender, so that a matrix with rows or columns confused is not the true one.
Step all_shifted(SendCall call, Group group, int size, int shift, int repeat) {
  Step step;
  for (int sender = 0; sender < size; ++sender) {
    const int count = pick_count(call, group, shift, repeat);
    const int extra = pairs_up(call) ? 0 : sender;
    step.push_back({sender, (sender + shift) % size, count == 0 ? 0 : count + extra,
                    pick_element(call, shift, repeat), 0});
  }
  return step;
}

Step chain(SendCall call, Group group, int size) {
  Step step;
  for (int sender = 0; sender + 1 < size; ++sender)
    step.push_back({sender, sender + 1, 11 + static_cast<int>(call) + static_cast<int>(group),
                    Element::kDouble, 0});
  return step;
}

}  // namespace

const std::vector<std::string>& send_call_names() {
  static const std::vector<std::string> names = {"send",     "ssend",           "bsend",  "rsend",
                                                 "isend",    "issend",          "ibsend", "irsend",
                                                 "sendrecv", "sendrecv_replace"};
  return names;
}

int data_bytes(Element element) {
  constexpr std::array<int, kElements> kBytes = {1, 8, 24, 12};
  return kBytes[static_cast<std::size_t>(element)];
}

std::vector<int> world_ranks_of(Group group, int world_rank, int world_size) {
  std::vector<int> members;
  for (int rank = 0; rank < world_size; ++rank)
    if (group != Group::kSplit || rank % 2 == world_rank % 2) members.push_back(rank);
  if (group == Group::kSplit) std::reverse(members.begin(), members.end());
  return members;
}

std::vector<Step> plan(SendCall call, Group group, int size) {
  std::vector<Step> steps;
  for (const int shift : shifts(size))
    for (int repeat = 0; repeat <= (shift + static_cast<int>(call)) % kLongestRepeat; ++repeat)
      steps.push_back(all_shifted(call, group, size, shift, repeat));
  steps.push_back(chain(call, group, size));
  if (!pairs_up(call)) {
    // All under way together.
    Step together;
    for (const Step& step : steps) together.insert(together.end(), step.begin(), step.end());
    steps = {together};
  }
  for (Step& step : steps) {
    int tag = 0;
    for (Message& message : step) message.tag = pairs_up(call) ? 0 : tag++;
  }
  return steps;
}

std::map<std::pair<int, int>, Traffic> truth(const std::vector<SendCall>& calls, int world_size) {
  std::map<std::pair<int, int>, Traffic> traffic;
  for (const SendCall call : calls)
    for (int g = 0; g < kGroups; ++g) {
      const auto group = static_cast<Group>(g);
      // The split group is two communicators: that of rank 0 and that of rank 1, if there is one.
      const int communicators = group == Group::kSplit ? std::min(2, world_size) : 1;
      for (int member = 0; member < communicators; ++member) {
        const std::vector<int> world = world_ranks_of(group, member, world_size);
        for (const Step& step : plan(call, group, static_cast<int>(world.size())))
          for (const Message& message : step) {
            Traffic& pair = traffic[{world[static_cast<std::size_t>(message.sender)],
                                     world[static_cast<std::size_t>(message.receiver)]}];
            ++pair.messages;
            pair.bytes += message.bytes();
          }
      }
    }
  return traffic;
}

}  // namespace programs
