"""Exit codes of the ``chokaq`` command."""

OK = 0
ERROR = 1  # refused by the database, unreachable, declined
USAGE = 2  # the command line is wrong, or a question has nobody to ask
PENDING = 3  # deploy's plan, or work that one call of maintain did not finish
DRIFT = 4
LOCK_TIMEOUT = 5
NOT_DONE = 6  # some of the jobs that were named are not where they would have to be
