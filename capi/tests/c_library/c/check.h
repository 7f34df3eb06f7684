/* What the test programs share. */
#ifndef CHECK_H
#define CHECK_H

#include "wegman.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);           \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)

/* The status of a call is what it should be. */
#define GIVES(wanted, call)                                                                     \
    do {                                                                                        \
        int status_ = (call);                                                                   \
        if (status_ != (wanted)) {                                                              \
            fprintf(stderr, "%s:%d: %s gave %d (%s), not %s\n", __FILE__, __LINE__, #call,      \
                    status_, wegman_strerror(status_), #wanted);                                \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)

#define OK(call) GIVES(WEGMAN_OK, call)

#endif
