"""Error responses with the statuses, types and texts of the Messages API."""

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


class ApiError(Exception):
    """A response with an error status and the API's error body."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    @property
    def error_type(self) -> str:
        return ERROR_TYPES.get(self.status, "invalid_request_error" if self.status < 500 else "api_error")

    def body(self, request_id: str) -> dict[str, object]:
        error = {"type": self.error_type, "message": self.message}
        return {"type": "error", "error": error, "request_id": request_id}


class InvalidRequestError(ApiError):
    def __init__(self, message: str) -> None:
        super().__init__(400, message)


class NotAuthenticatedError(ApiError):
    def __init__(self) -> None:
        super().__init__(401, "x-api-key header is required")
