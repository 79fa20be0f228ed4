"""Our own commands and pages, measured from outside as a person meets them."""
