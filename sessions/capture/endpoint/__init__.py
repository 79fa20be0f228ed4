"""The recording endpoint: an ASGI application that forwards requests to the API and records them.

It knows neither the database nor the settings. The traffic comes first: failures of recording are counted and logged,
and the client never notices."""
