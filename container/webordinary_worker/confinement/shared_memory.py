"""Removes the System V objects of a user: `python shared_memory.py UID`, started with the worker's rights.

Shared memory, semaphores and message queues outlive their programs. Only their owner or creator can remove them, so the
program becomes that user first. It imports little, and loads before the change of user, who may not be able to read it.
"""

import ctypes
import os
import sys

REMOVE = 0  # IPC_RMID
# File of /proc/sysvipc, its column with the id, and the call that removes an object.
KINDS = (("shm", "shmid"), ("sem", "semid"), ("msg", "msqid"))


def objects_of(uid: int, kind: str, column: str) -> list[int]:
    try:
        with open(f"/proc/sysvipc/{kind}") as file:  # noqa: PTH123 (importing pathlib is slow)
            names, *lines = [line.split() for line in file]
    except FileNotFoundError:
        return []  # a kernel without System V objects
    rows = (dict(zip(names, map(int, line), strict=True)) for line in lines)
    return [row[column] for row in rows if uid in (row["uid"], row["cuid"])]


def remove(uid: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for number in objects_of(uid, "shm", "shmid"):
        libc.shmctl(number, REMOVE, None)
    for number in objects_of(uid, "sem", "semid"):
        libc.semctl(number, 0, REMOVE, 0)
    for number in objects_of(uid, "msg", "msqid"):
        libc.msgctl(number, REMOVE, None)


def main() -> None:
    uid = int(sys.argv[1])
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    remove(uid)
    sys.exit(any(objects_of(uid, kind, column) for kind, column in KINDS))


if __name__ == "__main__":
    main()
