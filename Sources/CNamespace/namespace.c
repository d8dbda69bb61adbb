// Namespaces exist on Linux only; elsewhere this file is empty and nothing calls its functions.
#ifdef __linux__

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CNamespace.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_INHERITED 1024

static unsigned char inherited[MOST_INHERITED];

void till_note_inherited(void) {
    for (int descriptor = 0; descriptor < MOST_INHERITED; descriptor++) {
        int flags = fcntl(descriptor, F_GETFD);
        inherited[descriptor] = flags >= 0 && !(flags & FD_CLOEXEC);
    }
}

// Only for the child. Descriptors that were opened meanwhile are not for the program.
static void keep_to_ourselves(int everything) {
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > 65536) most = 65536;
    for (int descriptor = 3; descriptor < most; descriptor++) {
        if (!everything && descriptor < MOST_INHERITED && inherited[descriptor]) continue;
        int flags = fcntl(descriptor, F_GETFD);
        if (flags >= 0) fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
    }
}

// What the child tells: a failure, or that it is ready with its sockets.
static void tell(int channel, int step, int error, const int *sockets, int count) {
    struct till_failure told = {step, error};
    struct iovec part = {&told, sizeof told};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * TILL_MOST_SOCKETS)];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {0};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(header), sockets, sizeof(int) * count);
    }
    while (sendmsg(channel, &message, 0) < 0 && errno == EINTR) {}
}

static int put(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t written = write(file, text, strlen(text));
    int error = errno;
    close(file);
    errno = error;
    return written == (ssize_t)strlen(text) ? 0 : -1;
}

static int raise_loopback(void) {
    int device = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (device < 0) return -1;
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    int outcome = ioctl(device, SIOCGIFFLAGS, &request);
    if (outcome == 0) {
        request.ifr_flags |= IFF_UP | IFF_RUNNING;
        outcome = ioctl(device, SIOCSIFFLAGS, &request);
    }
    int error = errno;
    close(device);
    errno = error;
    return outcome;
}

static int listening(const char *text, uint16_t port) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (inet_pton(AF_INET, text, &address.sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (door < 0) return -1;
    int yes = 1;
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(door, (struct sockaddr *)&address, sizeof address) < 0 || listen(door, 128) < 0) {
        int error = errno;
        close(door);
        errno = error;
        return -1;
    }
    return door;
}

// The step that failed, or none.
static int make_ready(const struct till_launch *launch, int *sockets) {
    int flags = 0;
    if (launch->namespaces & TILL_NEW_USER) flags |= CLONE_NEWUSER;
    if (launch->namespaces & TILL_NEW_NETWORK) flags |= CLONE_NEWNET;
    if (launch->namespaces & TILL_NEW_MOUNT) flags |= CLONE_NEWNS;
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1\n", geteuid(), geteuid());
    snprintf(groups, sizeof groups, "%u %u 1\n", getegid(), getegid());
    if (flags && unshare(flags) < 0) return TILL_STEP_NAMESPACE;
    if (launch->namespaces & TILL_NEW_USER) {
        if (put("/proc/self/setgroups", "deny") < 0 && errno != ENOENT) return TILL_STEP_IDENTITY;
        if (put("/proc/self/uid_map", users) < 0 || put("/proc/self/gid_map", groups) < 0) return TILL_STEP_IDENTITY;
    }
    if (launch->namespaces & TILL_NEW_MOUNT) {
        if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) return TILL_STEP_MOUNT;
        for (int index = 0; index + 1 < launch->mount_count; index += 2) {
            if (mount(launch->mounts[index], launch->mounts[index + 1], NULL, MS_BIND, NULL) < 0) return TILL_STEP_MOUNT;
        }
    }
    if (launch->namespaces & TILL_NEW_NETWORK && raise_loopback() < 0) return TILL_STEP_LOOPBACK;
    for (int index = 0; index < launch->socket_count; index++) {
        sockets[index] = listening(launch->addresses[index], launch->ports[index]);
        if (sockets[index] < 0) return TILL_STEP_LISTEN;
    }
    return TILL_STEP_NONE;
}

extern char **environ;

static void be_the_child(const struct till_launch *launch, int channel, pid_t parent) {
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigaction(SIGPIPE, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (launch->own_group) setpgid(0, 0);
    if (launch->silent) {
        int nothing = open("/dev/null", O_RDWR);
        if (nothing >= 0) {
            dup2(nothing, 0);
            dup2(nothing, 1);
        }
    }
    if (launch->errors >= 0) dup2(launch->errors, 2);
    keep_to_ourselves(launch->silent);

    int sockets[TILL_MOST_SOCKETS];
    int failed = make_ready(launch, sockets);
    if (failed) {
        tell(channel, failed, errno, NULL, 0);
        _exit(125);
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(125);
    tell(channel, TILL_STEP_NONE, 0, sockets, launch->socket_count);
    for (int index = 0; index < launch->socket_count; index++) close(sockets[index]);
    char go = 0;
    ssize_t count;
    while ((count = read(channel, &go, 1)) < 0 && errno == EINTR) {}
    if (count != 1) _exit(125);
    if (launch->passed >= 0) {
        if (launch->passed == 3) fcntl(3, F_SETFD, 0);
        else dup2(launch->passed, 3);
    }
    environ = (char **)launch->environment;
    execvp(launch->arguments[0], launch->arguments);
    int error = errno;
    tell(channel, TILL_STEP_PROGRAM, error, NULL, 0);
    _exit(error == ENOENT ? 127 : 126);
}

// Reads what the child tells: 1, or 0 when it has ended or its program has begun.
static int hear(int channel, struct till_failure *told, int *sockets, int count) {
    struct iovec part = {told, sizeof *told};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * TILL_MOST_SOCKETS)];
    } control;
    struct msghdr message = {0};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    ssize_t length;
    while ((length = recvmsg(channel, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {}
    if (length != (ssize_t)sizeof *told) return 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
            memcpy(sockets, CMSG_DATA(header), sizeof(int) * count);
        }
    }
    return 1;
}

static void reap(pid_t pid) {
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
}

static int prepare(const struct till_launch *launch, struct till_child *child, struct till_failure *failure) {
    int pair[2];
    failure->step = TILL_STEP_FORK;
    if (launch->socket_count > TILL_MOST_SOCKETS || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0) {
        failure->error = launch->socket_count > TILL_MOST_SOCKETS ? EINVAL : errno;
        return -1;
    }
    // Away from 3, where the program may be given something.
    int ours = fcntl(pair[0], F_DUPFD_CLOEXEC, 10), theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 10);
    close(pair[0]);
    close(pair[1]);
    pid_t parent = getpid();
    child->pid = fork();
    if (child->pid == 0) {
        close(ours);
        be_the_child(launch, theirs, parent);
    }
    failure->error = errno;
    close(theirs);
    child->channel = ours;
    if (child->pid < 0) {
        close(ours);
        return -1;
    }
    struct till_failure told;
    if (!hear(ours, &told, child->sockets, launch->socket_count)) told = (struct till_failure){TILL_STEP_FORK, ECHILD};
    if (told.step == TILL_STEP_NONE) return 0;
    *failure = told;
    till_abandon(child);
    return -1;
}

// A child ends with the thread that forked it, and Swift's threads come and go, the first one too. So one thread that
// stays does all the forking, a job at a time.
struct job {
    const struct till_launch *launch;
    struct till_child *child;
    struct till_failure *failure;
    int outcome;
    int done;
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static struct job *waiting;
static int thread_error = -1;

static void *fork_for_others(void *nothing) {
    (void)nothing;
    pthread_mutex_lock(&guard);
    for (;;) {
        while (!waiting) pthread_cond_wait(&change, &guard);
        struct job *job = waiting;
        waiting = NULL;
        pthread_mutex_unlock(&guard);
        job->outcome = prepare(job->launch, job->child, job->failure);
        pthread_mutex_lock(&guard);
        job->done = 1;
        pthread_cond_broadcast(&change);
    }
    return NULL;
}

int till_prepare(const struct till_launch *launch, struct till_child *child, struct till_failure *failure) {
    struct job job = {launch, child, failure, -1, 0};
    pthread_mutex_lock(&guard);
    if (thread_error) {
        pthread_t thread;
        thread_error = pthread_create(&thread, NULL, fork_for_others, NULL);
        if (thread_error) {
            *failure = (struct till_failure){TILL_STEP_FORK, thread_error};
            pthread_mutex_unlock(&guard);
            return -1;
        }
        pthread_detach(thread);
    }
    while (waiting) pthread_cond_wait(&change, &guard);
    waiting = &job;
    pthread_cond_broadcast(&change);
    while (!job.done) pthread_cond_wait(&change, &guard);
    pthread_mutex_unlock(&guard);
    return job.outcome;
}

int till_release(struct till_child *child, struct till_failure *failure) {
    char go = 1;
    while (write(child->channel, &go, 1) < 0 && errno == EINTR) {}
    int failed = hear(child->channel, failure, child->sockets, 0);
    close(child->channel);
    if (!failed) return 0;
    reap(child->pid);
    return -1;
}

void till_abandon(struct till_child *child) {
    close(child->channel);
    reap(child->pid);
}

int till_wait(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return 125;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static volatile sig_atomic_t caught;
static volatile sig_atomic_t program;

static void pass_on(int number, siginfo_t *information, void *context) {
    (void)context;
    int error = errno;
    if (program <= 0) caught = number;
    else if (information->si_code == SI_KERNEL) {}
    else kill((pid_t)program, number);
    errno = error;
}

void till_catch_signals(void) {
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        struct sigaction present, action;
        // What was ignored when we were started stays ignored, as nohup asks.
        if (sigaction(numbers[index], NULL, &present) == 0 && present.sa_handler == SIG_IGN) continue;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = pass_on;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(numbers[index], &action, NULL);
    }
}

void till_forward_signals(pid_t pid) {
    program = pid;
    if (pid > 0 && caught) {
        kill(pid, caught);
        caught = 0;
    }
}

int till_caught_signal(void) { return caught; }

int till_free_port(void) {
    int door = socket(AF_INET, SOCK_STREAM, 0);
    if (door < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int isBound = bind(door, (struct sockaddr *)&address, length) == 0 &&
                  getsockname(door, (struct sockaddr *)&address, &length) == 0;
    close(door);
    return isBound ? ntohs(address.sin_port) : -1;
}

#endif
