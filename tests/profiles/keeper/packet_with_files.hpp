#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace huddle::keeper {

// Sends a packet, with descriptors if there are any, at most 8. Returns whether it was taken.
inline bool send_with_files(int socket, std::string text, const std::vector<int>& files = {}) {
  struct iovec content {
    text.data(), text.size()
  };
  alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
  struct msghdr message {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  if (!files.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
    if (cmsghdr* const rights = CMSG_FIRSTHDR(&message)) {
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
      std::memcpy(CMSG_DATA(rights), files.data(), files.size() * sizeof(int));
    }
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

}  // namespace huddle::keeper
