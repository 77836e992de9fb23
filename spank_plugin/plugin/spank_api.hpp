#pragma once

// Slurm's spank.h declares its hooks outside of its own extern "C".
extern "C" {
#include <slurm/spank.h>
}
