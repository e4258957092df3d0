"""The domain of webordinary: what functions, worker and operator tools share.

Every message has one model (`messages`), every name one origin (`names`), every rule one module.
"""
