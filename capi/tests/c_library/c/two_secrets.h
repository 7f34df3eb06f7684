/* The same calls under two secrets and of two messages, each in a child of this process. What then differs in the memory that
   the children can write to (the heap with its free blocks, the stack, static data) comes from these. Linux, for
   /proc/self/maps. */
#ifndef TWO_SECRETS_H
#define TWO_SECRETS_H

#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* What may differ, in memory that both children share: the secret, the message, what is made, and what is said here. */
static struct {
    unsigned char secret[256];
    unsigned char message[5000];
    unsigned char made[1 << 16];
    int which;
    pid_t pids[2];
    struct copy {
        char maps[1 << 16];
        size_t length;
        unsigned char memory[32 << 20];
    } now, copies[2];
} *shared;

static void needs(bool condition, const char *what) {
    if (condition) return;
    perror(what);
    exit(2);
}

/* Fills the stack below the caller with zeroes, farther than any function of the library goes. */
__attribute__((noinline)) static void clean_stack(void) {
    volatile unsigned char room[512 << 10];
    for (size_t i = 0; i < sizeof room; i++) room[i] = 0;
}

/* Makes the calls below a part of the stack that those need who look at it afterwards. */
__attribute__((noinline)) static void deeper(void (*calls)(const void *), const void *what) {
    volatile unsigned char room[32 << 10];
    room[0] = 1;
    calls(what);
    room[0] = room[0] - 1; /* it stays until here */
}

/* The next part of memory that one process alone can write to, in a line of its map and those after it. */
static char *next_part(char *line, uintptr_t *from, uintptr_t *to) {
    for (; *line; line = strchr(line, '\n') + 1) {
        char *after;
        *from = strtoul(line, &after, 16);
        *to = strtoul(after + 1, &after, 16);
        if (strncmp(after, " rw-p", 5) == 0) return strchr(line, '\n') + 1;
    }
    return NULL;
}

/* Copies all of it. */
static void copy_memory(struct copy *copy) {
    int file = open("/proc/self/maps", O_RDONLY);
    needs(file >= 0, "/proc/self/maps");
    ssize_t got;
    size_t length = 0;
    while ((got = read(file, copy->maps + length, sizeof copy->maps - 1 - length)) > 0) length += (size_t)got;
    close(file);
    copy->maps[length] = 0;
    uintptr_t from, to;
    copy->length = 0;
    for (char *line = copy->maps; (line = next_part(line, &from, &to));) {
        needs(to - from <= sizeof copy->memory - copy->length, "room for a copy of all memory");
        memcpy(copy->memory + copy->length, (const void *)from, to - from);
        copy->length += to - from;
    }
}

/* A child that makes the calls. Nothing here is kept in memory that is compared. */
__attribute__((noinline)) static void run_child(void (*calls)(const void *), const void *what) {
    int status = 0;
    clean_stack();
    pid_t pid = fork();
    if (pid == 0) {
        deeper(calls, what);
        copy_memory(&shared->now);
        _exit(0);
    }
    shared->pids[shared->which] = pid;
    needs(waitpid(pid, &status, 0) == pid, "waitpid");
    if (status != 0) {
        fprintf(stderr, "the calls failed, status %x\n", (unsigned)status);
        exit(1);
    }
}

/* Whether the word around this byte is the number of the child, which differs, too. */
static bool is_pid(const unsigned char *const copies[2], size_t at) {
    for (int which = 0; which < 2; which++) {
        pid_t word;
        memcpy(&word, copies[which] + at / sizeof word * sizeof word, sizeof word);
        if (word != shared->pids[which]) return false;
    }
    return true;
}

/* How many bytes differ after the calls, in all memory or on the stack alone. A line of standard error for each part. */
static size_t differences(const char *name, void (*calls)(const void *), const void *what, bool of_stack) {
    if (shared == NULL) {
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        needs(shared != MAP_FAILED, "mmap");
        /* The C library keeps the number of the processor. What the allocator chooses at random, it chooses now. */
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET((size_t)sched_getcpu(), &one);
        needs(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
        void *volatile block = malloc(1);
        free(block);
    }
    for (shared->which = 0; shared->which < 2; shared->which++) {
        for (size_t i = 0; i < sizeof shared->secret; i++)
            shared->secret[i] = (unsigned char)(37 * (shared->which + 1) + 101 * (int)i);
        for (size_t i = 0; i < sizeof shared->message; i++) shared->message[i] = shared->secret[i % sizeof shared->secret];
        run_child(calls, what);
        memcpy(&shared->copies[shared->which], &shared->now, offsetof(struct copy, memory) + shared->now.length);
    }
    const unsigned char *const copies[2] = {shared->copies[0].memory, shared->copies[1].memory};
    size_t all = 0, at = 0;
    if (strcmp(shared->copies[0].maps, shared->copies[1].maps) != 0) {
        fprintf(stderr, "%s: the memories have different layouts\n%s\n%s", name, shared->copies[0].maps, shared->copies[1].maps);
        return 1;
    }
    uintptr_t from, to;
    for (char *line = shared->copies[0].maps; (line = next_part(line, &from, &to));) {
        bool is_stack = from <= (uintptr_t)&copies && (uintptr_t)&copies < to;
        size_t count = 0, first = 0;
        bool is_looked_at = (is_stack || !of_stack) && memcmp(copies[0] + at, copies[1] + at, to - from) != 0;
        for (size_t i = 0; is_looked_at && i < to - from; i++) {
            if (copies[0][at + i] == copies[1][at + i] || is_pid(copies, at + i)) continue;
            if (count++ == 0) first = i;
        }
        at += to - from;
        all += count;
        const char *part = is_stack ? "of the stack" : "of the heap and static data";
        if (count > 0) {
            fprintf(stderr, "%s: %zu bytes %s depend on the secret, from %zx on\n", name, count, part, from + first);
        }
    }
    return all;
}

static void leave_in_heap(const void *nothing) {
    (void)nothing;
    volatile unsigned char *block = malloc(300);
    needs(block != NULL, "malloc");
    for (size_t i = 0; i < 200; i++) block[i] = shared->secret[i];
    free((void *)block);
}

static void leave_on_stack(const void *nothing) {
    (void)nothing;
    volatile unsigned char copy[200];
    for (size_t i = 0; i < sizeof copy; i++) copy[i] = shared->secret[i];
}

/* What is left is seen, wherever it is. */
static void notices_what_is_left(void) {
    if (differences("what this test leaves in the heap", leave_in_heap, NULL, false) < 100 ||
        differences("what this test leaves on the stack", leave_on_stack, NULL, true) < 100) {
        fprintf(stderr, "200 bytes of the secret were not noticed\n");
        exit(1);
    }
}
#endif
