#include "spank_plugin/plugin/option_table.hpp"

#include "spank_plugin/plugin/slurm_api.hpp"

namespace huddle {

OptionTable::OptionTable(void* options) {
  const auto make = slurm_function<struct option* (*)(void*, char**)>("slurm_option_table_create");
  const auto destroy = slurm_function<void (*)(struct option*)>("slurm_option_table_destroy");
  const auto free = slurm_function<void (*)(void**)>("slurm_xfree");
  if (make == nullptr || destroy == nullptr || free == nullptr || options == nullptr) return;
  entries_ = make(options, &letters_);
}

OptionTable::~OptionTable() {
  if (entries_ != nullptr)
    slurm_function<void (*)(struct option*)>("slurm_option_table_destroy")(entries_);
  void* memory = letters_;
  if (memory != nullptr) slurm_function<void (*)(void**)>("slurm_xfree")(&memory);
}

}  // namespace huddle
