"""Who the owner is: a request has to prove that it comes from whoever started this Lucid. Loopback proves nothing, as
every user of the machine reaches it."""
