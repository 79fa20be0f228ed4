"""The recording endpoint: an ASGI application that hands requests on to the API and writes down what it saw.

It knows neither the database nor the settings. The traffic comes first: whatever goes wrong with a recording is counted
and logged, and the person at the other end never notices."""
