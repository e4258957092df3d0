"""Bounds itself and becomes another program: `python sandbox.py [RLIMIT_CPU=60 …] [no-network] -- PROGRAM [ARGUMENT…]`.

Every confined program starts through here, but for the agent's: that one is ours, loads with the worker's rights, and
then bounds itself with `become`, before it does anything for anybody. What is set here holds for whatever the program
starts, and cannot be taken back. The kernel is asked to end this program before the worker when memory runs out. It
works on x86-64 and arm64. It imports little, because it runs before every confined program; and it comes before the
change of user, because that user may not be able to read it.

Without a network, a seccomp filter looks at every system call:

    other architecture      end the process: numbers would mean other calls (also 32-bit calls on a 64-bit kernel)
    x32 call (x86-64)       refuse: the same calls under other numbers
    io_uring_setup          refuse: rings open sockets without a system call that could be looked at
    socket, not AF_UNIX     refuse
    anything else           allow

Refused calls fail with EACCES, which Node.js reports as such.
"""

import ctypes
import errno
import os
import resource
import struct
import sys

AF_UNIX = 1
# Identifier of the architecture, socket(2), io_uring_setup(2).
NUMBERS = {"x86_64": (0xC000003E, 41, 425), "aarch64": (0xC00000B7, 198, 425)}
X32_BIT = 0x40000000

# Classic BPF: load a word, compare and jump by offsets, return a verdict.
LOAD, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
CALL_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16  # in struct seccomp_data; both architectures are little-endian
ALLOW, END_PROCESS, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EACCES

NO_NETWORK = "no-network"
USER = "user"
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 22, 38, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAPABILITIES_VERSION = 0x20080522
# What /proc/self/status says of a process without any rights.
WITHOUT_RIGHTS = {**dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapAmb"), "0000000000000000"), "NoNewPrivs": "1"}
SECCOMP_MODE_FILTER = 2
KILLED_FIRST = "1000"


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def no_network_filter(machine: str) -> bytes:
    """The filter's instructions, each of eight bytes."""
    architecture, socket, io_uring_setup = NUMBERS[machine]
    steps = (
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (IF_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, END_PROCESS),
        (LOAD, 0, 0, CALL_AT),
        (IF_AT_LEAST, 6, 0, X32_BIT),
        (IF_EQUAL, 5, 0, io_uring_setup),
        (IF_EQUAL, 1, 0, socket),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, FIRST_ARGUMENT_AT),
        (IF_EQUAL, 0, 1, AF_UNIX),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    )
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def refuse_network() -> None:
    steps = no_network_filter(os.uname().machine)
    memory = ctypes.create_string_buffer(steps)
    program = _Program(len(steps) // 8, ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    # The kernel takes a filter from somebody without privileges only if no program can get new ones.
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "the network could not be refused")


def bound(name: str, wanted: int) -> None:
    """Sets a limit, unless there is a lower one already."""
    kind = getattr(resource, name)
    _, highest = resource.getrlimit(kind)
    allowed = wanted if highest == resource.RLIM_INFINITY else min(wanted, highest)
    resource.setrlimit(kind, (allowed, allowed))


def offer_to_be_killed_first() -> None:
    with open("/proc/self/oom_score_adj", "w") as score:  # noqa: PTH123 (pathlib takes longer than all of this)
        score.write(KILLED_FIRST)


def become(options: list[str]) -> None:
    """The running program is as confined from here on as one that was started through this module: bounded, of the user
    that it is told (`user=10002`), without capabilities and without a way to new ones. Raises if it is not.

    It must have one thread only: capabilities are a thread's.
    """
    users = [option for option in options if option.startswith(USER + "=")]
    offer_to_be_killed_first()
    _apply([option for option in options if option not in users])
    for user in users:
        _be_user(int(user.partition("=")[2]))
    _drop_rights()


def _be_user(user: int) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if (os.getresuid(), os.getresgid(), os.getgroups()) != ((user,) * 3, (user,) * 3, []):
        raise PermissionError(f"this is not user {user}")


def _drop_rights() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    header, none = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    libc.capset(ctypes.byref(header), ctypes.byref(none))
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    with open("/proc/self/status") as status:  # noqa: PTH123
        said = dict(line.split(":\t", 1) for line in status.read().splitlines() if ":\t" in line)
    if {name: said.get(name) for name in WITHOUT_RIGHTS} != WITHOUT_RIGHTS:
        raise PermissionError("this program could not give up its rights")


def _apply(options: list[str]) -> None:
    for option in options:
        if option == NO_NETWORK:
            refuse_network()
        else:
            name, _, value = option.partition("=")
            bound(name, int(value))


def main() -> None:
    end_of_options = sys.argv.index("--")
    options, program = sys.argv[1:end_of_options], sys.argv[end_of_options + 1 :]
    offer_to_be_killed_first()
    _apply(options)
    os.execv(program[0], program)  # noqa: S606 (this is what it is for)


if __name__ == "__main__":
    main()
