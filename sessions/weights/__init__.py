"""What each part of a context weighs in tokens: measured where the API's counts tell, estimated elsewhere."""
