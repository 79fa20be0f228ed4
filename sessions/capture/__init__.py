"""Requests as they went over the wire: the recording endpoint, what it stores, and its pages."""
