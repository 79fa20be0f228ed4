"""How many tokens each part of a context has: measured where the API's counts tell, otherwise estimated."""
