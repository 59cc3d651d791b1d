/* Names the step that a program is at, for the trace that `quarry run` makes of it. Without Quarry
 * it does nothing but set a variable of the environment. Not while other threads read or change
 * that. */
#ifndef QUARRY_STEP_H
#define QUARRY_STEP_H

#include <stdlib.h>

/* From now on what the program does belongs to the step of this name; with NULL, to none. */
static inline void quarry_step(const char* name) {
    if (name != NULL) {
        setenv("QUARRY_TASK", name, 1);
    } else {
        unsetenv("QUARRY_TASK");
    }
}

#endif
