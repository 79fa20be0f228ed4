"""What `lucid memory` can do, a file for each verb."""
