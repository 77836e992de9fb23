/* Calls answering_library.c in the ways in which a program may call a function of a library. */
extern int huddle_test_answer(void);
extern int huddle_test_absent(void) __attribute__((weak));

int huddle_test_ask(void);
int huddle_test_ask_kept(void);
int huddle_test_ask_for_absent(void);

static int (*volatile kept)(void) = huddle_test_answer;

int huddle_test_ask(void) {
  return huddle_test_answer();
}

int huddle_test_ask_kept(void) {
  return kept();
}

/* 0 if the function is not there. */
int huddle_test_ask_for_absent(void) {
  return huddle_test_absent ? huddle_test_absent() : 0;
}
