// Every one-sided call in every kind of epoch, on windows of every kind, over the world and over
// half of it in reversed order.
#include <array>
#include <vector>

#include "tests/programs/call_families/circle.hpp"

namespace {

using programs::Circle;
using programs::expect;
using programs::Here;

// The slots of each rank's window, in elements.
enum Slot {
  kPut = 0,   // 3
  kSum = 4,   // 2
  kRead = 8,  // 2
  kReadAndAdd = 12,
  kSwapped = 13,
  kCompared = 14,
  kSpread = 16,    // 16 and 18
  kOnlyRead = 20,  // 2
  kOwn = 24,
  kSlots = 32
};

using Memory = std::array<long, kSlots>;

long initial(int rank, int slot) {
  return rank * 1000L + slot;
}

enum class Birth { kCreate, kAllocate, kShared, kDynamic };
enum class Epoch { kFence, kPostStart, kLock, kLockAll };

// A window and this rank's part of it.
struct Window {
  MPI_Win win = MPI_WIN_NULL;
  long* part = nullptr;
  std::vector<MPI_Aint> starts;  // by rank; addresses in a dynamic window, else 0
  int unit = 1;                  // bytes of one displacement

  MPI_Aint place(int rank, int slot) const {
    return starts[static_cast<std::size_t>(rank)] +
           slot * static_cast<MPI_Aint>(sizeof(long)) / unit;
  }
};

void exchange_addresses(const Circle& circle, Window& window) {
  MPI_Aint own = 0;
  MPI_Get_address(window.part, &own);
  MPI_Allgather(&own, 1, MPI_AINT, window.starts.data(), 1, MPI_AINT, circle.comm);
  known_collective("allgather", circle.members.c_str(), 8);
}

// `memory` is used where MPI does not bring its own.
Window make_window(Birth birth, const Circle& circle, Memory& memory) {
  Window window;
  window.part = memory.data();
  window.starts.assign(static_cast<std::size_t>(circle.size()), 0);
  constexpr MPI_Aint kBytes = sizeof(Memory);
  switch (birth) {
    case Birth::kCreate:
      window.unit = sizeof(long);
      MPI_Win_create(memory.data(), kBytes, window.unit, MPI_INFO_NULL, circle.comm, &window.win);
      break;
    case Birth::kAllocate:
      window.unit = sizeof(int);
      MPI_Win_allocate(kBytes, window.unit, MPI_INFO_NULL, circle.comm, &window.part, &window.win);
      break;
    case Birth::kShared:
      MPI_Win_allocate_shared(kBytes, 1, MPI_INFO_NULL, circle.comm, &window.part, &window.win);
      break;
    case Birth::kDynamic:
      MPI_Win_create_dynamic(MPI_INFO_NULL, circle.comm, &window.win);
      MPI_Win_attach(window.win, memory.data(), kBytes);
      exchange_addresses(circle, window);
      break;
  }
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, circle.rank, 0, window.win);
  for (int slot = 0; slot < kSlots; ++slot) window.part[slot] = initial(circle.rank, slot);
  MPI_Win_unlock(circle.rank, window.win);
  circle.meet();
  return window;
}

// The values that the calls of one epoch hand in and bring back. Where MPI_NO_OP ignores what is
// handed in, its type is none, as the standard allows.
struct Exchange {
  std::array<long, 3> put{};
  std::array<long, 2> addend{};
  std::array<long, 2> read{-1, -1};
  long step = 0, before_step = -1;
  long replacement = 0, replaced = -1;
  long expected = 0, new_value = 0, compared = -1;
  std::array<long, 2> spread{};
  std::array<long, 2> only_read{-1, -1};
  long untouched = -1;
  long own = 0;
};

Exchange prepared(const Circle& circle) {
  const long rank = circle.rank;
  Exchange e;
  e.put = {rank * 10, rank * 10 + 1, rank * 10 + 2};
  e.addend = {rank + 1, rank + 2};
  e.step = rank + 3;
  e.replacement = rank + 500;
  e.expected = initial(circle.right(), kCompared);
  e.new_value = rank + 700;
  e.spread = {rank + 800, rank + 900};
  e.own = rank + 600;
  return e;
}

// Accounts for what both lists of calls below do.
void account_for_calls(const Circle& circle) {
  const int target = circle.world(circle.right());
  known_put(target, 1, 24);
  known_put(target, 1, 16);
  known_fetched(target, 1, 16);
  known_put(target, 1, 8);  // read and add
  known_fetched(target, 1, 8);
  known_put(target, 1, 8);  // replace
  known_fetched(target, 1, 8);
  known_put(target, 1, 8);  // compare and swap
  known_fetched(target, 1, 8);
  known_put(target, 1, 16);      // spread
  known_fetched(target, 1, 16);  // MPI_NO_OP writes nothing
  known_fetched(target, 1, 8);
  known_put(circle.world(circle.rank), 1, 8);
}

void swap_and_fetch(const Window& window, int target, Exchange& e) {
  MPI_Fetch_and_op(&e.replacement, &e.replaced, MPI_LONG, target, window.place(target, kSwapped),
                   MPI_REPLACE, window.win);
  MPI_Compare_and_swap(&e.new_value, &e.expected, &e.compared, MPI_LONG, target,
                       window.place(target, kCompared), window.win);
  MPI_Fetch_and_op(nullptr, &e.untouched, MPI_LONG, target, window.place(target, kOnlyRead + 2),
                   MPI_NO_OP, window.win);
}

// Every other of the target's elements, of contiguous ones here.
MPI_Datatype every_other() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_LONG, &type);
  MPI_Type_commit(&type);
  return type;
}

void call_all(const Window& window, const Circle& circle, Exchange& e) {
  const int to = circle.right();
  MPI_Datatype spread = every_other();
  MPI_Put(e.put.data(), 3, MPI_LONG, to, window.place(to, kPut), 3, MPI_LONG, window.win);
  MPI_Accumulate(e.addend.data(), 2, MPI_LONG, to, window.place(to, kSum), 2, MPI_LONG, MPI_SUM,
                 window.win);
  MPI_Get(e.read.data(), 2, MPI_LONG, to, window.place(to, kRead), 2, MPI_LONG, window.win);
  MPI_Get_accumulate(&e.step, 1, MPI_LONG, &e.before_step, 1, MPI_LONG, to,
                     window.place(to, kReadAndAdd), 1, MPI_LONG, MPI_SUM, window.win);
  MPI_Put(e.spread.data(), 2, MPI_LONG, to, window.place(to, kSpread), 1, spread, window.win);
  MPI_Get_accumulate(nullptr, 0, MPI_DATATYPE_NULL, e.only_read.data(), 2, MPI_LONG, to,
                     window.place(to, kOnlyRead), 2, MPI_LONG, MPI_NO_OP, window.win);
  MPI_Put(&e.own, 1, MPI_LONG, circle.rank, window.place(circle.rank, kOwn), 1, MPI_LONG,
          window.win);
  MPI_Put(e.put.data(), 3, MPI_LONG, MPI_PROC_NULL, 0, 3, MPI_LONG, window.win);
  MPI_Get(e.read.data(), 2, MPI_LONG, MPI_PROC_NULL, 0, 2, MPI_LONG, window.win);
  MPI_Accumulate(e.put.data(), 3, MPI_LONG, MPI_PROC_NULL, 0, 3, MPI_LONG, MPI_SUM, window.win);
  swap_and_fetch(window, to, e);
  MPI_Type_free(&spread);
  account_for_calls(circle);
}

// The same with a request each, where there is such a call.
void call_all_with_requests(const Window& window, const Circle& circle, Exchange& e) {
  const int to = circle.right();
  MPI_Datatype spread = every_other();
  std::array<MPI_Request, 8> requests{};
  MPI_Rput(e.put.data(), 3, MPI_LONG, to, window.place(to, kPut), 3, MPI_LONG, window.win,
           &requests[0]);
  MPI_Raccumulate(e.addend.data(), 2, MPI_LONG, to, window.place(to, kSum), 2, MPI_LONG, MPI_SUM,
                  window.win, &requests[1]);
  MPI_Rget(e.read.data(), 2, MPI_LONG, to, window.place(to, kRead), 2, MPI_LONG, window.win,
           &requests[2]);
  MPI_Rget_accumulate(&e.step, 1, MPI_LONG, &e.before_step, 1, MPI_LONG, to,
                      window.place(to, kReadAndAdd), 1, MPI_LONG, MPI_SUM, window.win,
                      &requests[3]);
  MPI_Rput(e.spread.data(), 2, MPI_LONG, to, window.place(to, kSpread), 1, spread, window.win,
           &requests[4]);
  MPI_Rget_accumulate(nullptr, 0, MPI_DATATYPE_NULL, e.only_read.data(), 2, MPI_LONG, to,
                      window.place(to, kOnlyRead), 2, MPI_LONG, MPI_NO_OP, window.win,
                      &requests[5]);
  MPI_Rput(&e.own, 1, MPI_LONG, circle.rank, window.place(circle.rank, kOwn), 1, MPI_LONG,
           window.win, &requests[6]);
  MPI_Rput(e.put.data(), 3, MPI_LONG, MPI_PROC_NULL, 0, 3, MPI_LONG, window.win, &requests[7]);
  MPI_Waitall(8, requests.data(), MPI_STATUSES_IGNORE);
  swap_and_fetch(window, to, e);
  MPI_Type_free(&spread);
  account_for_calls(circle);
}

MPI_Group group_of_one(const Circle& circle, int member) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group one = MPI_GROUP_NULL;
  MPI_Comm_group(circle.comm, &all);
  // Besides its partner, each opens its own window to itself.
  const std::array<int, 2> members = {member, circle.rank};
  MPI_Group_incl(all, member == circle.rank ? 1 : 2, members.data(), &one);
  MPI_Group_free(&all);
  return one;
}

void in_post_start(const Window& window, const Circle& circle, Exchange& e) {
  MPI_Group origins = group_of_one(circle, circle.left());
  MPI_Group targets = group_of_one(circle, circle.right());
  MPI_Win_post(origins, 0, window.win);
  MPI_Win_start(targets, 0, window.win);
  call_all(window, circle, e);
  MPI_Win_complete(window.win);
  if (circle.rank % 2 == 0) {
    MPI_Win_wait(window.win);
  } else {
    int done = 0;
    while (done == 0) MPI_Win_test(window.win, &done);
  }
  MPI_Group_free(&origins);
  MPI_Group_free(&targets);
}

void in_locks(const Window& window, const Circle& circle, Exchange& e) {
  const int to = circle.right();
  MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window.win);
  if (to != circle.rank) MPI_Win_lock(MPI_LOCK_SHARED, circle.rank, 0, window.win);
  call_all(window, circle, e);
  MPI_Win_flush_local(to, window.win);
  MPI_Win_flush(to, window.win);
  MPI_Win_unlock(to, window.win);
  if (to != circle.rank) MPI_Win_unlock(circle.rank, window.win);
}

void in_epoch(Epoch epoch, const Window& window, const Circle& circle, Exchange& e) {
  switch (epoch) {
    case Epoch::kFence:
      MPI_Win_fence(MPI_MODE_NOPRECEDE, window.win);
      call_all(window, circle, e);
      MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win);
      break;
    case Epoch::kPostStart:
      in_post_start(window, circle, e);
      break;
    case Epoch::kLock:
      in_locks(window, circle, e);
      break;
    case Epoch::kLockAll:
      MPI_Win_lock_all(0, window.win);
      call_all_with_requests(window, circle, e);
      MPI_Win_flush_local_all(window.win);
      MPI_Win_flush_all(window.win);
      MPI_Win_sync(window.win);
      MPI_Win_unlock_all(window.win);
      break;
  }
}

// Checks what the left neighbour and this rank itself left in the window.
void check_window(const Window& window, const Circle& circle) {
  const long left = circle.left();
  std::array<long, kSlots> expected{};
  for (int slot = 0; slot < kSlots; ++slot)
    expected[static_cast<std::size_t>(slot)] = initial(circle.rank, slot);
  for (std::size_t i = 0; i < 3; ++i) expected[kPut + i] = left * 10 + static_cast<long>(i);
  expected[kSum] += left + 1;
  expected[kSum + 1] += left + 2;
  expected[kReadAndAdd] += left + 3;
  expected[kSwapped] = left + 500;
  expected[kCompared] = left + 700;
  expected[kSpread] = left + 800;
  expected[kSpread + 2] = left + 900;
  expected[kOwn] = circle.rank + 600;
  for (std::size_t slot = 0; slot < kSlots; ++slot)
    expect(window.part[slot] == expected[slot],
           "element " + std::to_string(slot) + " of the window: found " +
               std::to_string(window.part[slot]) + ", expected " + std::to_string(expected[slot]));
}

void check_results(const Exchange& e, const Circle& circle) {
  const int from = circle.right();
  expect(e.read[0] == initial(from, kRead) && e.read[1] == initial(from, kRead + 1), "a get");
  expect(e.before_step == initial(from, kReadAndAdd), "a get_accumulate");
  expect(e.replaced == initial(from, kSwapped), "a fetch_and_op");
  expect(e.compared == initial(from, kCompared), "a compare_and_swap");
  expect(e.only_read[0] == initial(from, kOnlyRead) && e.untouched == initial(from, kOnlyRead + 2),
         "a read by MPI_NO_OP");
}

void run(Birth birth, Epoch epoch, const Circle& circle) {
  Memory memory{};
  Window window = make_window(birth, circle, memory);
  Exchange exchange = prepared(circle);
  in_epoch(epoch, window, circle, exchange);
  circle.meet();
  MPI_Win_lock(MPI_LOCK_SHARED, circle.rank, 0, window.win);
  check_window(window, circle);
  MPI_Win_unlock(circle.rank, window.win);
  check_results(exchange, circle);
  circle.meet();
  if (birth == Birth::kDynamic) MPI_Win_detach(window.win, memory.data());
  MPI_Win_free(&window.win);
}

}  // namespace

int main(int argc, char** argv) {
  return programs::run_family(argc, argv, 3, [](const Here& here) {
    std::vector<Birth> births = {Birth::kCreate, Birth::kAllocate, Birth::kDynamic};
    if (programs::all_share_memory()) births.push_back(Birth::kShared);
    Circle half = programs::reversed_half(here);
    for (const Circle& circle : {programs::world_circle(here), half})
      for (const Birth birth : births)
        for (const Epoch epoch : {Epoch::kFence, Epoch::kPostStart, Epoch::kLock, Epoch::kLockAll})
          run(birth, epoch, circle);
    MPI_Comm_free(&half.comm);
  });
}
