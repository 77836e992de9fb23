#include "profiles/keeper/protocol/clock_page.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::keeper {
namespace {

constexpr std::uint64_t kMagic = 0x314b434c43445548;  // "HUDCLCK1" in memory
constexpr std::uint32_t kVersion = 1;
constexpr const char* kPageName = "the page of clocks";
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// The call by its number: glibc 2.17 has no name for it. Since Linux 6.3 nodes may insist that such
// a file can't be executed; older ones do not know the flag.
files::OwnedDescriptor new_memory_file() {
  constexpr unsigned kNoExecution = 0x8;  // MFD_NOEXEC_SEAL
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  auto file = static_cast<int>(::syscall(SYS_memfd_create, "huddle-clocks", kFlags | kNoExecution));
  if (file < 0 && errno == EINVAL)
    file = static_cast<int>(::syscall(SYS_memfd_create, "huddle-clocks", kFlags));
  if (file < 0) throw SystemError("make", kPageName, errno);
  return files::OwnedDescriptor(file);
}

void* mapped(const files::OwnedDescriptor& file, std::uint32_t clocks) {
  void* const memory = ::mmap(nullptr, ClockPageView::size_for(clocks), PROT_READ | PROT_WRITE,
                              MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) throw SystemError("map", kPageName, errno);
  return memory;
}

}  // namespace

// The lease is stored first: should the keeper look in between, it takes the old wish for a little
// longer, and not the new one for over.
bool ClockPageView::ask(std::size_t clock, const ClockAsk& ask) const noexcept {
  ClockSlot& own = slot(clock);
  own.lease_end_ns.store(ask.lease_end_ns, std::memory_order_relaxed);
  own.asked_khz.store(ask.khz, std::memory_order_release);
  head_->asks.fetch_add(1, std::memory_order_relaxed);
  // Either this finds that the keeper sleeps, or the keeper's own exchange comes later and sees
  // what was stored before this one.
  return head_->keeper_sleeps.exchange(0, std::memory_order_acq_rel) != 0;
}

ClockAnswer ClockPageView::answer_for(std::size_t clock) const noexcept {
  const ClockSlot& own = slot(clock);
  ClockAnswer answer;
  answer.written_khz = own.written_khz.load(std::memory_order_acquire);
  answer.achieved_khz = own.achieved_khz.load(std::memory_order_relaxed);
  answer.changed_at_ns = own.changed_at_ns.load(std::memory_order_relaxed);
  answer.verdict = static_cast<ClockVerdict>(own.verdict.load(std::memory_order_relaxed));
  return answer;
}

std::uint32_t ClockPageView::begin_to_look() const noexcept {
  head_->keeper_sleeps.exchange(1, std::memory_order_acq_rel);
  return head_->asks.load(std::memory_order_relaxed);
}

ClockAsk ClockPageView::ask_for(std::size_t clock) const noexcept {
  const ClockSlot& own = slot(clock);
  ClockAsk ask;
  ask.khz = own.asked_khz.load(std::memory_order_acquire);
  ask.lease_end_ns = own.lease_end_ns.load(std::memory_order_relaxed);
  return ask;
}

void ClockPageView::answer(std::size_t clock, const ClockAnswer& answer) const noexcept {
  ClockSlot& own = slot(clock);
  own.verdict.store(static_cast<std::uint32_t>(answer.verdict), std::memory_order_relaxed);
  own.changed_at_ns.store(answer.changed_at_ns, std::memory_order_relaxed);
  own.achieved_khz.store(answer.achieved_khz, std::memory_order_relaxed);
  own.written_khz.store(answer.written_khz, std::memory_order_release);
}

void ClockPageView::say_answered(std::uint32_t asks) const noexcept {
  head_->answered_asks.store(asks, std::memory_order_release);
}

void ClockPageView::say_ended() const noexcept {
  head_->ended.store(1, std::memory_order_release);
}

ClockPage ClockPage::make(std::uint32_t clocks, files::OwnedDescriptor& file) {
  files::OwnedDescriptor made = new_memory_file();
  // Not ftruncate(): a node without memory would end the keeper at the first write.
  const auto size = static_cast<off_t>(ClockPageView::size_for(clocks));
  if (const int failure = ::posix_fallocate(made.number(), 0, size))
    throw SystemError("make", kPageName, failure);
  if (::fcntl(made.number(), F_ADD_SEALS, kSeals) != 0) throw SystemError("seal", kPageName, errno);
  ClockPage page(mapped(made, clocks), clocks);  // all zero, which is a valid beginning
  ClockPageHead& head = page.view().head();
  head.magic = kMagic;
  head.version = kVersion;
  head.clocks = clocks;
  head.keeper_sleeps.store(1, std::memory_order_release);
  file = std::move(made);
  return page;
}

ClockPage ClockPage::open(const files::OwnedDescriptor& file, std::uint32_t clocks) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw SystemError("read", kPageName, errno);
  const int seals = ::fcntl(file.number(), F_GET_SEALS);
  // Else reading it could end this process.
  if (clocks == 0 || clocks > kMostClocks || seals < 0 || (seals & F_SEAL_SHRINK) == 0 ||
      status.st_size != static_cast<off_t>(ClockPageView::size_for(clocks)))
    throw Error(
        fmt::format("{} has {} bytes and the seals {:#x}, expected {} bytes that can't be "
                    "taken away",
                    kPageName, status.st_size, static_cast<unsigned>(std::max(seals, 0)),
                    ClockPageView::size_for(clocks)));
  ClockPage page(mapped(file, clocks), clocks);
  const ClockPageHead& head = page.view().head();
  if (head.magic != kMagic || head.version != kVersion || head.clocks != clocks)
    throw Error(fmt::format("{} has version {} and {} clocks, expected version {} and {}",
                            kPageName, head.version, head.clocks, kVersion, clocks));
  return page;
}

ClockPage::ClockPage(ClockPage&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      view_(std::exchange(other.view_, ClockPageView())) {}

ClockPage& ClockPage::operator=(ClockPage&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(view_, other.view_);
  return *this;
}

ClockPage::~ClockPage() {
  if (memory_ != nullptr) ::munmap(memory_, ClockPageView::size_for(view_.clocks()));
}

}  // namespace huddle::keeper
