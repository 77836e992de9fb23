#pragma once

// Small helps for calling Slurm: functions that its headers lack, and texts that may be missing.

#include <string>

#include "spank_plugin/plugin/client/private_symbols.hpp"

namespace huddle::plugin {

/// A function of the program that loaded the plugin, or of its libraries; null if this Slurm does
/// not have it.
template <class Function>
Function slurm_function(SymbolName name) {
  return reinterpret_cast<Function>(find_symbol(name));
}

/// Slurm's options of sbatch, salloc or srun; null in other processes.
inline void* slurm_options() {
  return find_symbol("opt");
}

/// A null pointer stands for an empty text.
inline std::string slurm_text(const char* text) {
  return text != nullptr ? text : "";
}

}  // namespace huddle::plugin
