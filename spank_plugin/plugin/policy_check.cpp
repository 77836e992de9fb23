#include "spank_plugin/plugin/policy_check.hpp"

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/trusted_file.hpp"
#include "spank_plugin/plugin/spank_api.hpp"

namespace huddle {

bool policy_is_sound(const Settings& settings) {
  try {
    static_cast<void>(settings.trusted_policy());
    return true;
  } catch (const UntrustedFile& error) {  // users' programs read it all the same
    slurm_error("huddle: %s; frequencies on this node stay as they are until that is mended",
                error.what());
    return false;
  } catch (const Error& error) {
    slurm_error("huddle: %s; Huddle is off until that is mended, jobs run as submitted",
                error.what());
    return false;
  }
}

}  // namespace huddle
