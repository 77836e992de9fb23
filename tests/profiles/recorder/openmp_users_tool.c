/* A user's tool of OpenMP, to be preloaded: it says that it was begun and ended. */
#include <omp-tools.h>
#include <stdio.h>

static int begin(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  data->value = 1;
  return lookup("ompt_set_callback") != NULL && device >= 0;
}

static void end(ompt_data_t* data) {
  if (data->value == 1) fputs("began ended\n", stderr);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {begin, end, {0}};
  return version > 0 && runtime != NULL ? &result : NULL;
}
