#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "profiles/files/owned_descriptor.hpp"
#include "profiles/keeper/protocol/clock_page.hpp"
#include "profiles/keeper/protocol/keeper_protocol.hpp"
#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::keeper {

// A rank that can do all that is possible to its page and to what wakes the keeper, without the
// client's good manners.
struct HostileRank {
  HostileRank(const std::filesystem::path& keeper, const std::string& pus)
      : socket(bare_connection(keeper)) {
    const std::string greeting = text_of(KeeperGreeting{PuSet::parse(pus)});
    ::send(socket.number(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
    std::string text(kMostReplyBytes, '\0');
    struct iovec space {
      text.data(), text.size()
    };
    alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
    struct msghdr message {};
    message.msg_iov = &space;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = ::recvmsg(socket.number(), &message, MSG_CMSG_CLOEXEC);
    REQUIRE(size > 0);
    text.resize(static_cast<std::size_t>(size));
    clocks = static_cast<std::uint32_t>(parse_keeper_reply(text).clocks.size());
    std::array<int, 2> files{};
    if (const cmsghdr* const rights = CMSG_FIRSTHDR(&message))
      std::memcpy(files.data(), CMSG_DATA(rights), sizeof files);
    memory = files::OwnedDescriptor(files[0]);
    wake = files::OwnedDescriptor(files[1]);
    page = ClockPage::open(memory, clocks);
  }
  void wake_keeper(std::uint64_t by = 1) const {
    static_cast<void>(::write(wake.number(), &by, sizeof by) == sizeof by);
  }

  files::OwnedDescriptor socket;
  files::OwnedDescriptor memory;
  files::OwnedDescriptor wake;
  std::uint32_t clocks = 0;
  ClockPage page;
};

}  // namespace huddle::keeper
