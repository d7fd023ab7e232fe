"""Background work: the kinds of job, the worker that runs them, the scheduler that queues them, and housekeeping."""
