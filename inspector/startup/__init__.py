"""What happens before Lucid does anything: the home, the database, the address, and the processes of `serve`."""
