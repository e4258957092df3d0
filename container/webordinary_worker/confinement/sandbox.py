"""Confines itself and executes a program: `python sandbox.py [RLIMIT_CPU=60 …] [no-network] -- PROGRAM [ARGUMENT…]`.

Every confined program starts through this module, except the agent's: that one is ours, loads with the worker's rights,
and confines itself with `become` before it processes any input. The limits apply to all child processes and cannot be
undone. The kernel is asked to kill this program before the worker when memory runs out. Supported are x86-64 and arm64.
The module imports little, because it runs before every confined program, and it runs before the change of user, because
that user may not be able to read it.

Without a network, a seccomp filter checks every system call:

    other architecture      kill the process: call numbers differ (also 32-bit calls on a 64-bit kernel)
    x32 call (x86-64)       deny: the same calls under other numbers
    io_uring_setup          deny: io_uring opens sockets without a system call that could be filtered
    mq_open                 deny: a message queue would outlive its programs, and no file system shows it
    add_key and the like    deny: so would keys in the kernel
    socket, not AF_UNIX     deny
    anything else           allow

Denied calls fail with EACCES, which Node.js reports as such.
"""

import ctypes
import errno
import os
import resource
import struct
import sys

AF_UNIX = 1
# Identifier of the architecture, socket(2), and what is always denied: io_uring_setup(2), mq_open(2), add_key(2),
# request_key(2), keyctl(2).
NUMBERS = {
    "x86_64": (0xC000003E, 41, (425, 240, 248, 249, 250)),
    "aarch64": (0xC00000B7, 198, (425, 180, 217, 218, 219)),
}
X32_BIT = 0x40000000

# Classic BPF: load a word, compare and jump by offsets, return a verdict.
LOAD, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
CALL_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16  # in struct seccomp_data; both architectures are little-endian
ALLOW, KILL_PROCESS, DENY = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EACCES

NO_NETWORK = "no-network"
USER = "user"
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 22, 38, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAPABILITIES_VERSION = 0x20080522
# Lines of /proc/self/status of an unprivileged process.
UNPRIVILEGED = {**dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapAmb"), "0000000000000000"), "NoNewPrivs": "1"}
SECCOMP_MODE_FILTER = 2
HIGHEST_OOM_SCORE = "1000"


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def no_network_filter(machine: str) -> bytes:
    """The filter's instructions, each of eight bytes."""
    architecture, socket, denied = NUMBERS[machine]
    last = len(denied) + 5  # instructions from the check of x32 calls to the last one, which denies
    steps = (
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (IF_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, CALL_AT),
        (IF_AT_LEAST, last, 0, X32_BIT),
        *((IF_EQUAL, last - number, 0, call) for number, call in enumerate(denied, 1)),
        (IF_EQUAL, 1, 0, socket),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, FIRST_ARGUMENT_AT),
        (IF_EQUAL, 0, 1, AF_UNIX),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, DENY),
    )
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def deny_network() -> None:
    steps = no_network_filter(os.uname().machine)
    memory = ctypes.create_string_buffer(steps)
    program = _Program(len(steps) // 8, ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    # The kernel accepts a filter from an unprivileged process only with no_new_privs.
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "the network could not be denied")


def set_limit(name: str, limit: int) -> None:
    """Sets a resource limit, or keeps a lower one."""
    kind = getattr(resource, name)
    _, highest = resource.getrlimit(kind)
    allowed = limit if highest == resource.RLIM_INFINITY else min(limit, highest)
    resource.setrlimit(kind, (allowed, allowed))


def prefer_for_oom_kill() -> None:
    with open("/proc/self/oom_score_adj", "w") as score:  # noqa: PTH123 (importing pathlib is slow)
        score.write(HIGHEST_OOM_SCORE)


def become(options: list[str]) -> None:
    """Confines the running program like one that was started through this module: limits, the given user
    (`user=10002`), no capabilities and no way to gain new ones. Raises if that fails.

    The program must have a single OS thread, because capabilities are per thread.
    """
    users = [option for option in options if option.startswith(USER + "=")]
    prefer_for_oom_kill()
    _apply([option for option in options if option not in users])
    for user in users:
        _switch_user(int(user.partition("=")[2]))
    _drop_privileges()


def _switch_user(user: int) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if (os.getresuid(), os.getresgid(), os.getgroups()) != ((user,) * 3, (user,) * 3, []):
        raise PermissionError(f"could not switch to user {user}")


def _drop_privileges() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    header, none = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    libc.capset(ctypes.byref(header), ctypes.byref(none))
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    with open("/proc/self/status") as status:  # noqa: PTH123
        fields = dict(line.split(":\t", 1) for line in status.read().splitlines() if ":\t" in line)
    if {name: fields.get(name) for name in UNPRIVILEGED} != UNPRIVILEGED:
        raise PermissionError("the process could not drop its privileges")


def _apply(options: list[str]) -> None:
    for option in options:
        if option == NO_NETWORK:
            deny_network()
        else:
            name, _, value = option.partition("=")
            set_limit(name, int(value))


def main() -> None:
    end_of_options = sys.argv.index("--")
    options, program = sys.argv[1:end_of_options], sys.argv[end_of_options + 1 :]
    prefer_for_oom_kill()
    _apply(options)
    os.execv(program[0], program)  # noqa: S606 (the purpose of this program)


if __name__ == "__main__":
    main()
