"""Requests as they were sent to the API: the recording endpoint, what it stores, and its pages."""
