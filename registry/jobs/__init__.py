"""Background work: the worker that runs jobs and the scheduler that queues them."""
