"""What every part of the server runs on: settings, limits, time, tasks, logs and metrics."""
