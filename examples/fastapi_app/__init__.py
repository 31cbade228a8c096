"""A web application that enqueues, with a worker beside it."""
