"""``chokaq report``: one page about the queues, complete in itself."""
