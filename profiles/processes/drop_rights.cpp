#include "profiles/processes/drop_rights.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "profiles/vocabulary/error.hpp"

namespace huddle::processes {
namespace {

constexpr const char* kRights = "root's rights";

// With SECBIT_KEEP_CAPS or ambient capabilities some could survive the change of users.
void drop_capabilities() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);  // unknown before Linux 4.3
  struct __user_cap_header_struct header {
    _LINUX_CAPABILITY_VERSION_3, 0
  };
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) throw SystemError("drop", kRights, errno);
}

}  // namespace

void drop_rights(uid_t user, gid_t group) {
  if (user == 0 || group == 0) throw SystemError("drop", kRights, EINVAL);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::setgroups(0, nullptr) != 0 ||
      ::setresgid(group, group, group) != 0 || ::setresuid(user, user, user) != 0)
    throw SystemError("drop", kRights, errno);
  drop_capabilities();
  // After the change of users, which sets it anew.
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) throw SystemError("drop", kRights, errno);
  if (::setresuid(0, 0, 0) == 0 || ::getuid() != user || ::getegid() != group)
    throw SystemError("drop", kRights, EPERM);
}

}  // namespace huddle::processes
