// Starting a program in namespaces of its own: between fork and exec only what is safe there may happen, so it is C.
// Linux only: TillExec, which calls it, is empty on other systems.
#ifndef TILL_NAMESPACE_H
#define TILL_NAMESPACE_H

#include <stdint.h>
#include <sys/types.h>

// What the child does before the program, in this order.
enum till_step {
    TILL_STEP_NONE = 0,
    TILL_STEP_FORK,
    TILL_STEP_NAMESPACE,
    TILL_STEP_IDENTITY,
    TILL_STEP_MOUNT,
    TILL_STEP_LOOPBACK,
    TILL_STEP_LISTEN,
    TILL_STEP_PROGRAM
};

// Which namespaces are new. A user namespace maps the caller to themselves, so that the program is nobody else.
enum till_namespace { TILL_NEW_USER = 1, TILL_NEW_NETWORK = 2, TILL_NEW_MOUNT = 4 };

#define TILL_MOST_SOCKETS 32

struct till_launch {
    // Ends with NULL, like the environment; the program is looked for on the caller's PATH.
    char *const *arguments;
    char *const *environment;
    int namespaces;
    // Files that are mounted over others: source, target, source, target…
    const char *const *mounts;
    int mount_count;
    // Where the child listens inside its network namespace, IPv4 addresses as text.
    const char *const *addresses;
    const uint16_t *ports;
    int socket_count;
    // A descriptor that becomes 3 in the program, or -1.
    int passed;
    // A process group of its own, which a terminal's signals do not reach.
    int own_group;
    // Standard input and output are /dev/null, and no descriptor that we were started with is handed on.
    int silent;
    // A descriptor that becomes standard error, or -1.
    int errors;
};

struct till_child {
    pid_t pid;
    int channel;
    // The listening sockets, in the order of the addresses; they work in the caller's process.
    int sockets[TILL_MOST_SOCKETS];
};

struct till_failure {
    int step;
    int error;
};

// Forks a child that makes itself ready and waits. 0, or -1 with the step that failed; then there is no child.
// When this process ends, however it ends, the child gets SIGTERM.
int till_prepare(const struct till_launch *launch, struct till_child *child, struct till_failure *failure);

// Lets a child run its program. 0 once it runs, or -1 when it could not be started; then there is no child.
int till_release(struct till_child *child, struct till_failure *failure);

// Ends a child that waits.
void till_abandon(struct till_child *child);

// Waits for the end of a child: its exit code, or 128 and the signal that ended it.
int till_wait(pid_t pid);

// From now on signals that ask a process to end or to do something are noted, and passed on to the process group's
// program once it is named. What a terminal sends has reached the program already and is not passed on.
void till_catch_signals(void);
void till_forward_signals(pid_t pid);
// The last signal noted while no program was named; 0 for none.
int till_caught_signal(void);

// A port of loopback that is free at this moment; -1 when there is none.
int till_free_port(void);

// Keeps descriptors that this process has opened from programs, but for those that it was started with.
void till_note_inherited(void);

#endif
