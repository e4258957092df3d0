"""CloudWatch.

- PutCompositeAlarm stores the alarm. Echo: its rule is never evaluated, as no alarm's is.
"""

from moto.cloudwatch.responses import CloudWatchResponse
from moto.core.responses import ActionResult

from local.emulator.gaps.patching import add


def apply() -> None:
    def put_composite_alarm(self: CloudWatchResponse) -> ActionResult:
        return self.put_metric_alarm()

    add(CloudWatchResponse, put_composite_alarm)
