"""Checks a project's site on this machine, as a worker would build it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from webordinary.contract.settings import NETWORK_VARIABLES
from webordinary_ops.connection import ROOT
from webordinary_ops.errors import OperatorError

if TYPE_CHECKING:
    from webordinary.contract.messages.broker import RepositoryAccess
    from webordinary.tables.projects import ProjectConfig
    from webordinary_ops.deployment import Deployment
    from webordinary_worker.git.credentials import GitCredentials
    from webordinary_worker.site.inspect.check_report import SiteReport


class NoNodeError(OperatorError):
    def __init__(self) -> None:
        super().__init__("Node.js was not found. Install it with make setup.")


def check_site(project: ProjectConfig, deployment: Deployment) -> SiteReport:
    """Clones, installs, builds, crawls and edits the site; the repository is only read.

    Uses the project's credential if the operator may read it. Secret build variables are not used: only the project's
    workers may read them.
    """
    from webordinary_worker.site.inspect.site_check import CheckSettings, inspect_site
    from webordinary_worker.site.options import SiteOptions

    network = {name: os.environ[name] for name in NETWORK_VARIABLES if os.environ.get(name)}
    options = SiteOptions(project.folder, project.build_hosts, dict(project.build_environment))
    with tempfile.TemporaryDirectory(prefix="site-check-") as folder:
        settings = CheckSettings(Path(folder) / "workspace", ROOT / ".cache/worker", _node_folder(), network)
        return inspect_site(
            project.repository,
            settings,
            options,
            branch=project.default_branch,
            credentials=_credentials(project, deployment),
        )


def _credentials(project: ProjectConfig, deployment: Deployment) -> GitCredentials | None:
    from webordinary_worker.git.credentials import GitCredentials, RepositoryRefusedError

    tokens = deployment.repository_tokens

    def request_token() -> RepositoryAccess:
        return tokens.open(project.project_id)

    ssm, names = deployment.client("ssm"), deployment.names
    found = GitCredentials(ssm, names, project.project_id, project.repository, request_token=request_token)
    try:
        found.environment()
    except ClientError:
        return None  # no access: the check reports if the repository requires it
    except RepositoryRefusedError:
        pass  # the check reports it
    return found


def _node_folder() -> Path:
    own = str(Path(sys.executable).parent)
    found = shutil.which("node", path=own) or shutil.which("node")
    if found is None:
        raise NoNodeError
    return Path(found).parent
