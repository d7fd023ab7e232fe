"""Answers as chat replies: prose with links and quotes, for front ends that talk to a model (routes in `api.http`)."""
