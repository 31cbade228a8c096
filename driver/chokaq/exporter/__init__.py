"""``chokaq exporter``: the figures of the queues for Prometheus."""
