"""EFS. Echoes: no file system is behind any of it.

- PutBackupPolicy is kept and comes back.
- DeleteFileSystemPolicy removes the policy.
"""

import json
from typing import Any

from moto.efs.models import FileSystem
from moto.efs.responses import EFSResponse

from local.emulator.gaps.patching import Function, add, wrap_property

SETTLED = {"ENABLING": "ENABLED", "DISABLING": "DISABLED"}
JSON_ANSWER = {"status": 200, "Content-Type": "application/json"}


def apply() -> None:
    kept: dict[str, str] = {}

    @wrap_property(FileSystem, "backup_policy")
    def backup_policy(original: Function, self: FileSystem) -> Any:
        status = kept.get(self.file_system_id)
        return {"Status": status} if status else original(self)

    def put_backup_policy(self: EFSResponse) -> tuple[str, dict[str, Any]]:
        policy = self._get_param("BackupPolicy")
        kept[self._get_param("FileSystemId")] = SETTLED.get(policy["Status"], policy["Status"])
        return json.dumps({"BackupPolicy": policy}), JSON_ANSWER

    def delete_file_system_policy(self: EFSResponse) -> tuple[str, dict[str, Any]]:
        self.efs_backend.file_systems_by_id[self._get_param("FileSystemId")].file_system_policy = None
        return "{}", JSON_ANSWER

    add(EFSResponse, put_backup_policy, delete_file_system_policy)
