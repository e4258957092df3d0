"""All messages between components: raw mail → job → dispatched job → report → reply.

Fields are snake_case in Python and camelCase on the wire. `read` validates external data and names invalid fields;
`wire` serialises. Unknown fields are ignored: during a deployment, workers and functions of two versions communicate.
Data written by people, such as project entries, is read strictly.
"""
