"""A backup as a file: rows of tables and files of the home, in parts that are compressed, hashed and named. It knows no
database and no Django."""
