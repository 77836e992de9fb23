#include "profiles/recorder/profile/call_sites.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {
namespace {

// Deeper calls are distinguished by their innermost frames only.
constexpr std::size_t kMostFrames = 32;
// A program that calls from more places than this (or from stacks that never look the same again)
// is distinguished by the innermost return address only, which costs no unwinding.
constexpr std::size_t kMostPaths = 4096;

std::string_view base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// True for objects between the program and its calls (Fortran's interface to MPI) and below main.
bool is_plumbing(std::string_view object) {
  static constexpr std::array<std::string_view, 6> kObjects = {
      "libmpi", "libmpich", "libusempi", "libhuddle_recorder", "libc.so", "ld-linux"};
  return std::any_of(kObjects.begin(), kObjects.end(),
                     [&](std::string_view name) { return object.starts_with(name); });
}

// A return address follows its call, which may be its function's last instruction.
std::string name_of_place(std::uintptr_t address) {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(address - 1), &info) == 0 || info.dli_fname == nullptr)
    return "?";
  const std::string_view object = base_name(info.dli_fname);
  if (is_plumbing(object)) return {};
  return fmt::format("{}+0x{:x}", object,
                     address - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
}

std::uint64_t key_of(const void* return_address, std::uint32_t operation) {
  return (reinterpret_cast<std::uint64_t>(return_address) * 0x9e3779b97f4a7c15ULL) ^ operation;
}

}  // namespace

CallSites::CallSites() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  std::size_t size = 0;
  if (::pthread_attr_getstack(&attributes, &begin, &size) == 0) {
    stack_begin_ = reinterpret_cast<std::uintptr_t>(begin);
    stack_end_ = stack_begin_ + size;
  }
  ::pthread_attr_destroy(&attributes);
}

bool CallSites::Path::holds() const {
  return std::all_of(links.begin(), links.end(),
                     [](const Link& link) { return *link.place == link.address; });
}

// A program may run on a stack of its own making: there nothing is looked at.
bool CallSites::on_own_stack(const void* frame) const {
  const auto place = reinterpret_cast<std::uintptr_t>(frame);
  return place >= stack_begin_ && place < stack_end_;
}

const CallSite& CallSites::find(std::uint32_t operation, std::string_view name,
                                const void* return_address, const void* frame) {
  const Call call{operation, name, return_address, frame};
  const std::uint64_t key =
      key_of(return_address, operation) ^ (reinterpret_cast<std::uint64_t>(frame) << 8U);
  const Path*& recent = recent_[(key ^ (key >> 12U)) % kRecent];
  if (recent != nullptr && recent->is_of(call)) [[likely]]
    return *recent->site;
  return find_among_all(key, call);
}

const CallSite& CallSites::find_among_all(std::uint64_t key, const Call& call) {
  const Path*& recent = recent_[(key ^ (key >> 12U)) % kRecent];
  if (const auto place = paths_.find(key); place != paths_.end())
    for (const Path& path : place->second)
      if (path.is_of(call)) return *(recent = &path)->site;
  if (unwound_ == kMostPaths || !on_own_stack(call.frame)) return site_of_innermost(call);
  ++unwound_;
  Path path{call.return_address, call.frame, call.operation, {}, nullptr};
  const CallSite& site = unwind(call, path);
  if (path.site != nullptr) {
    recent_ = {};  // paths may change their places in memory
    paths_[key].push_back(std::move(path));
  }
  return site;
}

const CallSite& CallSites::site_of_innermost(const Call& call) {
  const CallSite*& known = innermost_[key_of(call.return_address, call.operation)];
  if (known == nullptr)
    known = &site_of(call.name, {reinterpret_cast<std::uintptr_t>(call.return_address)});
  return *known;
}

struct CallSites::Walk {
  const CallSites* sites = nullptr;
  std::uintptr_t wanted = 0;  // frames inside of this one are the recorder's
  bool begun = false;
  bool verifiable = true;
  std::array<Link, kMostFrames> links{};
  std::size_t count = 0;

  // Called with the frames from the innermost outwards; must not throw through C.
  static _Unwind_Reason_Code step(_Unwind_Context* context, void* argument) {
    Walk& walk = *static_cast<Walk*>(argument);
    const std::uintptr_t address = _Unwind_GetIP(context);
    if (!walk.begun && address == walk.wanted) walk.begun = true;
    if (!walk.begun) return _URC_NO_REASON;
    if (address == 0 || walk.count == kMostFrames) return _URC_END_OF_STACK;
    Link& link = walk.links[walk.count++];
    link.address = address;
#if defined(__x86_64__)
    // The call pushed its return address right below the caller's frame.
    const auto place = static_cast<std::uintptr_t>(_Unwind_GetCFA(context)) - sizeof(address);
    if (walk.sites->on_own_stack(reinterpret_cast<const void*>(place)) &&
        place % sizeof(address) == 0)
      link.place = reinterpret_cast<const std::uintptr_t*>(place);
#endif
    if (link.place == nullptr || *link.place != address) walk.verifiable = false;
    return _URC_NO_REASON;
  }
};

const CallSite& CallSites::unwind(const Call& call, Path& path) {
  Walk walk;
  walk.sites = this;
  walk.wanted = reinterpret_cast<std::uintptr_t>(call.return_address);
  _Unwind_Backtrace(Walk::step, &walk);
  std::vector<std::uintptr_t> addresses;
  for (std::size_t i = 0; i < walk.count; ++i) addresses.push_back(walk.links[i].address);
  if (addresses.empty()) addresses.push_back(walk.wanted);
  const CallSite& site = site_of(call.name, addresses);
  if (walk.verifiable && walk.count > 0) {
    path.links.assign(walk.links.begin(),
                      walk.links.begin() + static_cast<std::ptrdiff_t>(walk.count));
    path.site = &site;
  }
  return site;
}

const CallSite& CallSites::site_of(std::string_view name,
                                   const std::vector<std::uintptr_t>& addresses) {
  std::string text(name);
  std::string_view separator = " at ";
  std::vector<std::uintptr_t> program;
  for (const std::uintptr_t address : addresses) {
    const std::string place = name_of_place(address);
    if (place.empty()) continue;
    program.push_back(address);
    text += separator;
    text += place;
    separator = " < ";
  }
  const std::uint64_t id = hash_of(text);
  std::unique_ptr<CallSite>& site = sites_[id];
  if (!site) {
    const auto number = static_cast<std::uint32_t>(sites_.size() - 1);
    site = std::make_unique<CallSite>(CallSite{id, std::move(text), std::move(program), number});
  }
  return *site;
}

}  // namespace huddle::recorder
