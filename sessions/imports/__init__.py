"""From files on disk to rows: discovery, scan, plan, write, settle."""
