"""Every message that crosses a boundary, once: raw mail → job → dispatched job → report → reply.

In Python the fields are snake_case, on the wire camelCase. `read` turns outside data into a message or says which field
does not fit; `wire` turns it back. A field that a newer version added is ignored: during a deployment workers and
functions of two versions talk to each other. What people write by hand, such as settings, is read strictly.
"""
