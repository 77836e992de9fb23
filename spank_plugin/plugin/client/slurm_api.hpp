#pragma once

// Small helps for calling Slurm: functions that its headers lack, and texts that may be missing.

#include <dlfcn.h>

#include <string>

namespace huddle::plugin {

/// A function of the program that loaded the plugin, or of its libraries; null if this Slurm does
/// not have it.
template <class Function>
Function slurm_function(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

/// Slurm's options of sbatch, salloc or srun; null in other processes.
inline void* slurm_options() {
  return ::dlsym(RTLD_DEFAULT, "opt");
}

/// A null pointer stands for an empty text.
inline std::string slurm_text(const char* text) {
  return text != nullptr ? text : "";
}

}  // namespace huddle::plugin
