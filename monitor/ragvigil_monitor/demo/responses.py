"""Answers of the service, checked."""

import httpx


def checked(answer: httpx.Response) -> httpx.Response:
    """The answer; an HTTPStatusError that quotes what the service said when it refused."""
    if answer.is_error:
        raise httpx.HTTPStatusError(
            f"{answer.request.url.path} answered {answer.status_code}: {answer.text[:500]}",
            request=answer.request,
            response=answer,
        )
    return answer
