"""The environment variables of a function's process on Lambda."""

from collections.abc import Mapping

EXECUTION_ENVIRONMENT = "AWS_Lambda_python3.13"


def lambda_environment(
    *,
    name: str,
    region: str,
    endpoint: str,
    variables: Mapping[str, str],
    memory_mb: int = 128,
    version: str = "$LATEST",
    log_group: str | None = None,
    log_stream: str = "local",
    access_key: str = "emulator",
) -> dict[str, str]:
    """A function's own variables and those that Lambda adds. `endpoint` is the AWS endpoint of its clients."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        **variables,
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
        "AWS_ACCESS_KEY_ID": access_key,
        "AWS_SECRET_ACCESS_KEY": "emulator",
        "AWS_SESSION_TOKEN": "emulator",
        "AWS_EXECUTION_ENV": EXECUTION_ENVIRONMENT,
        "AWS_LAMBDA_FUNCTION_NAME": name,
        "AWS_LAMBDA_FUNCTION_VERSION": version,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(memory_mb),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": log_group or f"/aws/lambda/{name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": log_stream,
    }
