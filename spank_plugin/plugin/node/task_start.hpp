#pragma once

#include "spank_plugin/plugin/spank_api.hpp"
#include "spank_plugin/submission/asked/settings.hpp"

namespace huddle::plugin {

/// Before prepare_task(): in a packed job a step's tasks don't see that its srun was told an
/// arbitrary distribution of ranks. An srun that such a task starts would take it for its own, and
/// find no hosts for it. Throws Error.
void hide_distribution(spank_t spank);

/// The last moment before a task becomes the user's program: a process of its own with the user's
/// rights, so that what the user wrote (plan, environment) can be read here. Puts the recorder into
/// the environment of a rank that is measured and may get it (rank_preload.hpp), and binds the task
/// where its step runs by a plan. A batch script gets no library; its mpirun is shown where our
/// component is. While Huddle is switched off it does none of that. Throws Error if one of them
/// fails, after the other was tried; a task that is not bound starts as Slurm placed it.
void prepare_task(spank_t spank, const submission::Settings& settings);

}  // namespace huddle::plugin
